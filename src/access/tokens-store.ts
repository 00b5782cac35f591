import type { Actor } from "../core/actor.ts"
import type { Handle } from "../core/database/database.ts"
import { inList } from "../core/database/expressions.ts"
import { visibleRepositories } from "./visibility.ts"

/** The repositories that tokens are limited to, as far as the caller may see them. */
export const findChosenRepositories = (db: Handle, actor: Actor, tokenIds: readonly number[]) =>
  db
    .selectFrom("access_token_repositories as chosen")
    .innerJoin("repositories", "repositories.id", "chosen.repository_id")
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .select(["chosen.token_id", "owner.name as owner", "repositories.name"])
    .where(inList("chosen.token_id", tokenIds))
    .where(visibleRepositories(actor))
    .orderBy("owner.lower_name")
    .orderBy("repositories.lower_name")
    .execute()
