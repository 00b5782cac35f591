import { dateTime, int64, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const Cron = record("Cron", {
  name: Type.String(),
  schedule: Type.String({ description: 'a cron expression in UTC; "-" where it only runs when asked for' }),
  next: dateTime(),
  prev: dateTime({ description: "when it was started last" }),
  exec_times: int64({ description: "how often it has run" }),
})
export type Cron = Static<typeof Cron>

export const AuditEntry = record("Deed", {
  id: int64(),
  administrator: Type.String(),
  acting_as: Type.String({ description: "in whose name it was done, where that was someone else's" }),
  operation: Type.String({ description: "the operation's id; of failed sign-ins wrongPassword or wrongSecondFactor" }),
  path: Type.String(),
  status: Type.Integer(),
  ip: Type.String({ description: "the client's address; of failed sign-ins over IPv6 its /64" }),
  account: Type.String({ description: "of a failed sign-in: the account, empty where there is none of the name that was given" }),
  times: int64({ description: "how many equal failures of the hour that began here the entry stands for" }),
  created_at: dateTime(),
})
export type AuditEntry = Static<typeof AuditEntry>

/** Checked by the rules too, which say what is wrong with it. */
const email = Type.String({ minLength: 1, maxLength: 254, format: "email" })

export const InviteOption = record("InviteOption", { email })

export const Invitation = record("Invitation", {
  email: Type.String(),
  link: Type.String({ format: "uri", description: "where the account is made; good once" }),
  expires_at: dateTime(),
})

export const TestMailOption = record("TestMailOption", { email })
