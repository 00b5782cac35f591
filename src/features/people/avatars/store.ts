import type { Handle } from "../../../core/database/database.ts"

/** Those of these images that a user, an organisation or a repository uses. */
export async function findShown(db: Handle, digests: readonly string[]): Promise<readonly string[]> {
  const users = db.selectFrom("users").select("avatar").where("avatar", "in", digests)
  const repositories = db.selectFrom("repositories").select("avatar").where("avatar", "in", digests)
  return (await users.union(repositories).execute()).map(({ avatar }) => avatar)
}
