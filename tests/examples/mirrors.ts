import { times, type World } from "../support/world.ts"
import type { Examples } from "./example.ts"

/** A public address, to which nothing is sent: a mirror is pushed to only on request. */
const remote = { remote_address: "http://9.9.9.9/somebody/something.git", interval: "8h0m0s" }

/** A repository with this many push mirrors. */
async function mirrored(world: World, size = 1) {
  const who = await world.person()
  const { owner, repo } = await world.repository(who)
  const made = await times(size, () =>
    world.must<{ readonly remote_name: string }>(who, `POST /repos/${owner}/${repo}/push_mirrors`, remote),
  )
  return { authorization: who.authorization, path: { owner, repo, name: made[0]?.remote_name ?? "" } }
}

/** A mirror of another repository. */
async function following(world: World) {
  const who = await world.person()
  const { owner, repo } = await world.repository(who)
  const { database } = world.hearth.services
  await database.write(async (tx) => {
    const { id } = await tx
      .updateTable("repositories")
      .set({ is_mirror: 1 })
      .where("lower_name", "=", repo.toLowerCase())
      .where("owner_id", "=", (eb) => eb.selectFrom("users").select("id").where("lower_name", "=", owner.toLowerCase()))
      .returning("id")
      .executeTakeFirstOrThrow()
    await tx
      .insertInto("mirrors")
      .values({
        repository_id: id,
        interval: 0,
        enable_prune: 1,
        // No server listens there, and the guard refuses it anyway.
        remote_url: "http://127.0.0.1:9/in.git",
        remote_username: "",
        sealed_secret: "",
        updated_at: 0,
        last_sync_at: 0,
        next_sync_at: 0,
      })
      .execute()
  })
  return { authorization: who.authorization, path: { owner, repo } }
}

/** An imported repository. */
async function brought(world: World) {
  const { authorization, path } = await mirrored(world, 0)
  const { database } = world.hearth.services
  await database.write(async (tx) => {
    const found = await tx
      .selectFrom("repositories")
      .select(["id", "owner_id"])
      .where("lower_name", "=", path.repo.toLowerCase())
      .where("owner_id", "=", (eb) => eb.selectFrom("users").select("id").where("lower_name", "=", path.owner.toLowerCase()))
      .executeTakeFirstOrThrow()
    await tx
      .insertInto("imports")
      .values({
        repository_id: found.id,
        doer_id: found.owner_id,
        service: "gitea",
        remote_url: "http://127.0.0.1:9/in.git",
        remote_username: "",
        sealed_secret: "",
        lfs: 1,
        lfs_endpoint: "",
        parts: '["issues"]',
        phase: "records",
        progress: '{"git":{"done":1,"total":1},"large_files":{"done":1,"total":3,"missing":0}}',
        created_at: 1,
        updated_at: 2,
      })
      .execute()
  })
  return { authorization, path: { owner: path.owner, repo: path.repo } }
}

export const mirrorExamples: Examples = {
  // Only the tests of mirrors have another server to import from.
  repoMigrate: () => ({ body: { clone_addr: "http://127.0.0.1:9/in.git", repo_name: "in" }, status: 422 }),
  repoGetImport: brought,
  repoMirrorSync: following,
  repoListPushMirrors: mirrored,
  repoAddPushMirror: async (world) => ({ ...(await mirrored(world, 0)), body: remote }),
  repoPushMirrorSync: (world) => mirrored(world, 0),
  repoGetPushMirrorByRemoteName: (world) => mirrored(world),
  repoDeletePushMirror: (world) => mirrored(world),
}
