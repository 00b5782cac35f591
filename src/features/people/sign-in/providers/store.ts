import type { Transaction } from "../../../../core/database/database.ts"
import { type Params, query } from "../../../../core/database/query.ts"

/** The person with whose account here one elsewhere is linked. */
export const findLinked = query("providers.findLinked", (db, p: Params<{ provider: string; subject: string }>) =>
  db
    .selectFrom("linked_accounts")
    .innerJoin("users", "users.id", "linked_accounts.user_id")
    .selectAll("users")
    .select("linked_accounts.id as link_id")
    .where("linked_accounts.provider", "=", p.provider)
    .where("linked_accounts.subject", "=", p.subject),
)

export const findLinksOf = query("providers.findLinksOf", (db, p: Params<{ userId: number }>) =>
  db
    .selectFrom("linked_accounts")
    .select(["id", "provider", "subject", "label", "created_at", "last_used_at"])
    .where("user_id", "=", p.userId)
    .orderBy("id"),
)

export const touchLink = query("providers.touchLink", (db, p: Params<{ id: number; label: string; now: number }>) =>
  db.updateTable("linked_accounts").set({ last_used_at: p.now, label: p.label }).where("id", "=", p.id),
)

/** With which version of its credentials an account was closed because of its groups; 0 where it was not. */
export const findLinkClosing = query("providers.findLinkClosing", (db, p: Params<{ provider: string; subject: string }>) =>
  db.selectFrom("linked_accounts").select("closed_version").where("provider", "=", p.provider).where("subject", "=", p.subject),
)

export const noteLinkClosing = query("providers.noteLinkClosing", (db, p: Params<{ provider: string; subject: string; version: number }>) =>
  db.updateTable("linked_accounts").set({ closed_version: p.version }).where("provider", "=", p.provider).where("subject", "=", p.subject),
)

export const deleteLink = query("providers.deleteLink", (db, p: Params<{ userId: number; id: number }>) =>
  db.deleteFrom("linked_accounts").where("user_id", "=", p.userId).where("id", "=", p.id),
)

export const insertLink = (
  tx: Transaction,
  {
    now,
    userId,
    provider,
    subject,
    label,
  }: { readonly now: number; readonly userId: number; readonly provider: string; readonly subject: string; readonly label: string },
) => tx.insertInto("linked_accounts").values({ user_id: userId, provider, subject, label, created_at: now, last_used_at: now }).execute()
