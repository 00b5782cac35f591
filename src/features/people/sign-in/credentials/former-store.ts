import type { Transaction } from "../../../../core/database/database.ts"
import { type Params, query } from "../../../../core/database/query.ts"

export const findFormerHash = query("formerHashes.find", (db, p: Params<{ kind: "runner" | "recovery code"; subjectId: number }>) =>
  db.selectFrom("former_hashes").selectAll().where("kind", "=", p.kind).where("subject_id", "=", p.subjectId),
)

/** Of tokens with the same ending, a few. */
export const findFormerTokens = query("formerHashes.findTokens", (db, p: Params<{ lookup: string }>) =>
  db.selectFrom("former_hashes").selectAll().where("kind", "=", "access token").where("lookup", "=", p.lookup).limit(4),
)

export const removeFormerHash = query(
  "formerHashes.remove",
  (db, p: Params<{ kind: "access token" | "runner" | "recovery code"; subjectId: number }>) =>
    db.deleteFrom("former_hashes").where("kind", "=", p.kind).where("subject_id", "=", p.subjectId),
)

/** Gives a token the digest by which it is found from now on. */
export const renewDigest = (tx: Transaction, { id, digest }: { readonly id: number; readonly digest: string }) =>
  tx.updateTable("access_tokens").set({ digest }).where("id", "=", id).execute()
