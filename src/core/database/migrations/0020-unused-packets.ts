import type { Kysely } from "kysely"

/** The packet of a key is part of its certificate; nothing read the column. */
export const unusedPackets = { id: 20, name: "unused_packets", up }

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("gpg_keys").dropColumn("packet").execute()
}
