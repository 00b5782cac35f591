import { type Person, times, type World } from "../support/world.ts"
import type { Examples } from "./example.ts"

/** A new repository with so many issues, of its owner. */
async function withIssues(world: World, count: number) {
  const owner = await world.person()
  const { owner: name, repo } = await world.repository(owner)
  const at = `/repos/${name}/${repo}/issues`
  await times(count, () => world.must(owner, `POST ${at}`, { title: "tracked" }))
  return { owner, at, authorization: owner.authorization, path: { owner: name, repo, index: 1 } }
}

const track = (world: World, who: Person, issue: string) => world.must<{ readonly id: number }>(who, `POST ${issue}/times`, { time: 60 })

/** So many issues with a time each, and as many more on the first. */
async function tracked(world: World, size: number) {
  const found = await withIssues(world, size)
  await times(size, (index) => track(world, found.owner, `${found.at}/${index + 1}`))
  await times(size, () => track(world, found.owner, `${found.at}/1`))
  return found
}

async function running(world: World) {
  const found = await withIssues(world, 1)
  await world.must(found.owner, `POST ${found.at}/1/stopwatch/start`)
  return found
}

/** A user with this many stopwatches; the API allows only one, so they are inserted as rows. */
async function manyRunning(world: World, size: number): Promise<string> {
  const { owner, path } = await withIssues(world, size)
  const { database, now } = world.hearth.services
  await database.write(async (tx) => {
    const issues = await tx
      .selectFrom("issues")
      .innerJoin("repositories", "repositories.id", "issues.repository_id")
      .select("issues.id")
      .where("repositories.owner_id", "=", owner.id)
      .where("repositories.name", "=", path.repo)
      .execute()
    await tx
      .insertInto("stopwatches")
      .values(issues.map(({ id }) => ({ user_id: owner.id, issue_id: id, created_at: now() })))
      .execute()
  })
  return owner.authorization
}

async function subscribed(world: World, size: number) {
  const found = await withIssues(world, 1)
  const crowd = await world.crowd(size)
  for (const other of crowd) await world.must(other, `PUT ${found.at}/1/subscriptions/${other.name}`)
  return { ...found, first: crowd[0] ?? found.owner }
}

export const trackingExamples: Examples = {
  issueTrackedTimes: async (world, size) => {
    const { authorization, path } = await tracked(world, size)
    return { authorization, path }
  },
  repoTrackedTimes: async (world, size) => {
    const { authorization, path } = await tracked(world, size)
    return { authorization, path }
  },
  userTrackedTimes: async (world, size) => {
    const { authorization, path, owner } = await tracked(world, size)
    return { authorization, path: { ...path, user: owner.name } }
  },
  userCurrentTrackedTimes: async (world, size) => ({ authorization: (await tracked(world, size)).authorization }),
  issueAddTime: async (world) => {
    const { authorization, path } = await withIssues(world, 1)
    const other = await world.person()
    return { authorization, path, body: { time: 3600, user_name: other.name, created: "2026-01-02T03:04:05Z" } }
  },
  issueResetTime: async (world) => {
    const { authorization, path } = await tracked(world, 1)
    return { authorization, path }
  },
  issueDeleteTime: async (world) => {
    const { authorization, path, at, owner } = await withIssues(world, 1)
    return { authorization, path: { ...path, id: (await track(world, owner, `${at}/1`)).id } }
  },
  // Starting one stops the other.
  issueStartStopWatch: async (world) => {
    const { owner, at, authorization, path } = await withIssues(world, 2)
    await world.must(owner, `POST ${at}/2/stopwatch/start`)
    return { authorization, path }
  },
  issueStopStopWatch: async (world) => {
    const { authorization, path } = await running(world)
    return { authorization, path }
  },
  issueDeleteStopWatch: async (world) => {
    const { authorization, path } = await running(world)
    return { authorization, path }
  },
  userGetStopWatches: async (world, size) => ({ authorization: await manyRunning(world, size) }),

  issueSubscriptions: async (world, size) => {
    const { authorization, path } = await subscribed(world, size)
    return { authorization, path }
  },
  issueCheckSubscription: async (world) => {
    const { first, path } = await subscribed(world, 1)
    return { authorization: first.authorization, path }
  },
  issueAddSubscription: async (world) => {
    const { path } = await withIssues(world, 1)
    const other = await world.person()
    return { authorization: other.authorization, path: { ...path, user: other.name } }
  },
  issueDeleteSubscription: async (world) => {
    const { first, path } = await subscribed(world, 1)
    return { authorization: first.authorization, path: { ...path, user: first.name } }
  },
}
