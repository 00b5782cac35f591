import { int64, nullable, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const AuditEntry = record("AuditEntry", {
  id: int64({ description: "its position: entries that come later have higher ones" }),
  kind: Type.String({ description: "the kind of the event, such as `team.memberAdded`" }),
  at: Type.String({ format: "date-time" }),
  actor: nullable(
    Type.Object(
      { id: int64(), login: Type.String() },
      { description: "who did it, with the name of then; null for what happened by itself" },
    ),
  ),
  repository: nullable(Type.Object({ id: int64(), name: Type.String() })),
  subject: Type.String({ description: "whom or which it is about" }),
  details: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: "object",
    description:
      "`changed`: names of settings; `from`, `to`, `mode`, `because`; `in_the_name_by`: the administrator who acted as the actor",
  }),
  ip: Type.String({ description: "empty where it isn't known" }),
  credential: Type.String({ description: "`session`, `password`, `token`, `application`, `job`, or empty where it isn't known" }),
})
export type AuditEntry = Static<typeof AuditEntry>
