import { dateTime, int64, nonBlank, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const TONES = ["info", "good", "warn", "bad"] as const
export const AUDIENCES = ["everybody", "signedIn"] as const

const CONTENT = { maxLength: 4_000, description: "in Markdown" } as const

export const Announcement = record("Announcement", {
  id: int64(),
  content: Type.String({ description: "in Markdown" }),
  tone: oneOf(TONES),
  audience: oneOf(AUDIENCES),
  starts_at: nullable(dateTime()),
  ends_at: nullable(dateTime()),
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type Announcement = Static<typeof Announcement>

const times = {
  starts_at: Type.Optional(nullable(dateTime({ description: "shown at once without it" }))),
  ends_at: Type.Optional(nullable(dateTime({ description: "shown until it is deleted without it" }))),
}

export const CreateAnnouncementOption = record("CreateAnnouncementOption", {
  content: nonBlank(CONTENT),
  tone: Type.Optional(oneOf(TONES)),
  audience: Type.Optional(oneOf(AUDIENCES)),
  ...times,
})

export const EditAnnouncementOption = record("EditAnnouncementOption", {
  content: Type.Optional(nonBlank(CONTENT)),
  tone: Type.Optional(oneOf(TONES)),
  audience: Type.Optional(oneOf(AUDIENCES)),
  ...times,
})
