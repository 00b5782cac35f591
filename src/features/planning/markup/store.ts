import { listedUsers } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { RepositoryName } from "../../../core/markup/rendering.ts"

/** Those of these accounts that are shown to the reader. */
export const findListedNames = (db: Handle, { names, reader }: { readonly names: readonly string[]; readonly reader: Actor }) =>
  db.selectFrom("users").select("lower_name").where("lower_name", "in", names).where(listedUsers(reader)).execute()

export const findRepositoriesNamed = (db: Handle, names: ReadonlyMap<string, RepositoryName>) =>
  db
    .selectFrom("repositories")
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .selectAll("repositories")
    .where((eb) =>
      eb.or(
        [...names.values()].map(({ owner, name }) =>
          eb.and([eb("owner.lower_name", "=", owner.toLowerCase()), eb("repositories.lower_name", "=", name.toLowerCase())]),
        ),
      ),
    )
    .execute()

export const findIssuesNumbered = (db: Handle, wanted: readonly { readonly repositoryId: number; readonly number: number }[]) =>
  db
    .selectFrom("issues")
    .select(["repository_id", "number", "title", "is_pull"])
    .where((eb) =>
      eb.or(wanted.map(({ repositoryId, number }) => eb.and([eb("repository_id", "=", repositoryId), eb("number", "=", number)]))),
    )
    .execute()
