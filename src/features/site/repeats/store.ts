import { type Params, query } from "../../../core/database/query.ts"

export const findKept = query("repeats.find", (db, p: Params<{ digest: string; after: number }>) =>
  db.selectFrom("kept_answers").select(["request", "status", "answer"]).where("digest", "=", p.digest).where("created_at", ">", p.after),
)

/** Gives a row unless the key has one that is not too old. */
export const claimKey = query(
  "repeats.claim",
  (db, p: Params<{ digest: string; userId: number; request: string; now: number; before: number }>) =>
    db
      .insertInto("kept_answers")
      .values({ digest: p.digest, user_id: p.userId, request: p.request, created_at: p.now })
      .onConflict((conflict) =>
        conflict
          .column("digest")
          .doUpdateSet({ request: p.request, status: 0, answer: "", bytes: 0, created_at: p.now })
          .where("kept_answers.created_at", "<=", p.before),
      )
      .returning("digest"),
)

export const keepAnswer = query("repeats.keep", (db, p: Params<{ digest: string; status: number; answer: string; bytes: number }>) =>
  db.updateTable("kept_answers").set({ status: p.status, answer: p.answer, bytes: p.bytes }).where("digest", "=", p.digest),
)

export const releaseKey = query("repeats.release", (db, p: Params<{ digest: string }>) =>
  db.deleteFrom("kept_answers").where("digest", "=", p.digest).where("status", "=", 0),
)

export const countKept = query("repeats.count", (db, p: Params<{ userId: number }>) =>
  db
    .selectFrom("kept_answers")
    .select((of) => [of.fn.countAll<number>().as("count"), of.fn.sum<number | null>("bytes").as("bytes")])
    .where("user_id", "=", p.userId),
)

export const forgetOldKept = query("repeats.forgetOld", (db, p: Params<{ before: number; limit: number }>) =>
  db
    .deleteFrom("kept_answers")
    .where("digest", "in", (of) =>
      of.selectFrom("kept_answers").select("digest").where("created_at", "<=", p.before).orderBy("created_at").limit(p.limit),
    ),
)
