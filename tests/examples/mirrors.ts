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
async function brought(world: World, size = 1) {
  const { authorization, path } = await mirrored(world, 0)
  let id = 0
  const { database } = world.hearth.services
  await database.write(async (tx) => {
    const found = await tx
      .selectFrom("repositories")
      .select(["id", "owner_id"])
      .where("lower_name", "=", path.repo.toLowerCase())
      .where("owner_id", "=", (eb) => eb.selectFrom("users").select("id").where("lower_name", "=", path.owner.toLowerCase()))
      .executeTakeFirstOrThrow()
    const made = await tx
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
      .returning("id")
      .executeTakeFirstOrThrow()
    id = made.id
    for (let number = 1; number <= size; number++)
      await tx
        .insertInto("import_faults")
        .values({ import_id: id, kind: "labels", source_key: `${number}`, message: "it can't be read" })
        .execute()
  })
  return { authorization, path: { owner: path.owner, repo: path.repo }, id }
}

const repositoryOf = async (world: World, size = 1) => {
  const { id: _, ...example } = await brought(world, size)
  return example
}

/** An import that was stopped. */
async function stopped(world: World) {
  const { id, ...example } = await brought(world)
  await world.hearth.services.database.write((tx) => tx.updateTable("imports").set({ phase: "stopped" }).where("id", "=", id).execute())
  return { id, ...example }
}

/** Someone of another server who has the caller's address. */
async function imported(world: World, size = 1) {
  const who = await world.person()
  const { database } = world.hearth.services
  const id = await database.write(async (tx) => {
    let last = 0
    const owner = await tx.selectFrom("emails").select("lower_email").where("user_id", "=", who.id).executeTakeFirstOrThrow()
    for (let number = 1; number <= size; number++) {
      const row = {
        host: `host${who.id}.example`,
        source_key: `${number}`,
        login: `zoe${number}`,
        name: "Zoe",
        mail: owner.lower_email,
        user_id: 0,
      }
      last = (await tx.insertInto("imported_people").values(row).returning("id").executeTakeFirstOrThrow()).id
    }
    return last
  })
  return { who, id }
}

export const mirrorExamples: Examples = {
  // Only the tests of mirrors have another server to import from.
  repoMigrate: () => ({ body: { clone_addr: "http://127.0.0.1:9/in.git", repo_name: "in" }, status: 422 }),
  repoPreviewImport: () => ({ body: { clone_addr: "http://127.0.0.1:9/in.git" }, status: 422 }),
  repoGetImport: (world) => repositoryOf(world),
  repoListImportFaults: repositoryOf,
  repoStopImport: (world) => repositoryOf(world),
  repoStartImport: async (world) => {
    const { id: _, ...example } = await stopped(world)
    return { ...example, body: {} }
  },
  userListImports: async (world, size) => {
    const { authorization, id } = await brought(world)
    await world.hearth.services.database.write(async (tx) => {
      const { id: _, ...row } = await tx.selectFrom("imports").selectAll().where("id", "=", id).executeTakeFirstOrThrow()
      for (let more = 1; more < size; more++) await tx.insertInto("imports").values(row).execute()
    })
    return { authorization }
  },
  userCreateImports: async (world) => ({
    authorization: (await world.person()).authorization,
    body: { addresses: ["http://127.0.0.1:9/in.git"] },
  }),
  userImportArchive: async (world) => {
    const body = new FormData()
    body.append("archive", new Blob(["no archive"]), "rocket.tar.gz")
    return { authorization: (await world.person()).authorization, query: { name: "rocket" }, body }
  },
  userStopImport: async (world) => {
    const { authorization, id } = await brought(world)
    return { authorization, path: { id } }
  },
  userStartImport: async (world) => {
    const { authorization, id } = await stopped(world)
    return { authorization, path: { id }, body: {} }
  },
  userListImportedPeople: async (world) => ({ authorization: (await imported(world)).who.authorization }),
  userClaimImportedPerson: async (world) => {
    const { who, id } = await imported(world)
    return { authorization: who.authorization, path: { id } }
  },
  adminListImportedPeople: async (world, size = 1) => {
    await imported(world, size)
    return {}
  },
  adminAssignImportedPerson: async (world) => {
    const { who, id } = await imported(world)
    return { path: { id }, body: { login: who.name } }
  },
  repoMirrorSync: following,
  repoListPushMirrors: mirrored,
  repoAddPushMirror: async (world) => ({ ...(await mirrored(world, 0)), body: remote }),
  repoPushMirrorSync: (world) => mirrored(world, 0),
  repoGetPushMirrorByRemoteName: (world) => mirrored(world),
  repoDeletePushMirror: (world) => mirrored(world),
}
