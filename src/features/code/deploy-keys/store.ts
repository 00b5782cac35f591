import type { Insertable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import type { DeployKeysTable } from "../../../core/database/tables/keys.ts"

/** Gives a key access to a repository. */
export const insertDeployKey = (tx: Transaction, grant: Insertable<DeployKeysTable>) =>
  tx.insertInto("deploy_keys").values(grant).returningAll().executeTakeFirstOrThrow()

/** Whose deploy key this is, and which key. */
export const findDeployed = (tx: Transaction, id: number) =>
  tx
    .selectFrom("deploy_keys")
    .innerJoin("public_keys", "public_keys.id", "deploy_keys.key_id")
    .select(["repository_id", "fingerprint"])
    .where("deploy_keys.id", "=", id)
    .executeTakeFirst()

export const deleteDeployKey = (tx: Transaction, id: number) => tx.deleteFrom("deploy_keys").where("id", "=", id).returning("id").execute()
