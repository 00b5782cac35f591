import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** What people want to be told of, announcements to all of them, and invitations to teams. */
export const attention = { id: 35, name: "attention", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table("notification_choices", { user_id: "reference", cause: "text", in_list: "flag", by_mail: "flag" }, { user_id: "users" }, [
    "user_id",
    "cause",
  ])
  await table(
    "notification_levels",
    { user_id: "reference", repository_id: "reference", level: "text" },
    { user_id: "users", repository_id: "repositories" },
    ["user_id", "repository_id"],
  )
  await index("notification_levels_repository", "notification_levels", ["repository_id"])
  await db.schema
    .alterTable("notifications")
    .addColumn("release_id", types.integer, (column) => column.references("releases.id").onDelete("cascade"))
    .execute()
  await index("notifications_release", "notifications", ["release_id", "user_id"], true)

  await table("announcements", {
    id: "id",
    content: "text",
    tone: "text",
    audience: "text",
    starts_at: "time",
    ends_at: "time",
    created_at: "time",
    updated_at: "time",
  })

  await table(
    "team_invitations",
    {
      id: "id",
      team_id: "reference",
      lower_email: "text",
      invited_by: "reference",
      created_at: "time",
      sent_at: "time",
      expires_at: "time",
    },
    { team_id: "teams", invited_by: "users" },
  )
  await index("team_invitations_email", "team_invitations", ["team_id", "lower_email"], true)
  await index("team_invitations_inviter", "team_invitations", ["invited_by"])
  await index("team_invitations_expiry", "team_invitations", ["expires_at"])
}
