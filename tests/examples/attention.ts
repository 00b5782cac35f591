import { type Organization, type Person, type Repository, times, type World } from "../support/world.ts"
import type { Examples, MakeExample } from "./example.ts"

/** Lets a person write so many issues in a repository, and then a comment on each. */
async function busy(world: World, { owner, repo }: Repository, writer: Person, size: number): Promise<void> {
  const at = `/repos/${owner}/${repo}/issues`
  const numbers = await times(
    size,
    async () => (await world.must<{ readonly number: number }>(writer, `POST ${at}`, { title: "It flickers" })).number,
  )
  for (const number of numbers) await world.must(writer, `POST ${at}/${number}/comments`, { body: "Still." })
}

async function busyRepository(world: World, size: number, of?: Organization) {
  const person = of?.owner ?? (await world.person())
  const repository = await world.repository(of ?? person)
  const writer = await world.person()
  await busy(world, repository, writer, size)
  return { person, repository, authorization: person.authorization, path: { owner: repository.owner, repo: repository.repo } }
}

const inRepository: MakeExample = async (world, size) => {
  const { authorization, path } = await busyRepository(world, size)
  return { authorization, path }
}

/** The owner of a busy repository, who watches it. */
const watcher: MakeExample = async (world, size) => ({ authorization: (await busyRepository(world, size)).authorization })

const thread: MakeExample = async (world) => {
  const { person, authorization } = await busyRepository(world, 1)
  const [first] = await world.must<readonly { readonly id: number }[]>(person, "GET /notifications")
  return { authorization, path: { id: first?.id ?? 0 } }
}

export const attentionExamples: Examples = {
  userGetNotificationSettings: async (world) => ({ authorization: (await world.person()).authorization }),
  userUpdateNotificationSettings: async (world) => ({
    authorization: (await world.person()).authorization,
    body: { list: ["mentioned", "run"], mail: [] },
  }),
  notifyGetList: watcher,
  notifyReadList: watcher,
  notifyNewAvailable: watcher,
  notifyGetThread: thread,
  notifyReadThread: thread,
  notifyGetRepoList: inRepository,
  notifyReadRepoList: inRepository,
  repoListActivityFeeds: inRepository,
  userListActivityFeeds: async (world, size) => {
    const { person, authorization } = await busyRepository(world, size)
    return { authorization, path: { username: person.name } }
  },
  orgListActivityFeeds: async (world, size) => {
    const organization = await world.organization(await world.person())
    const { authorization } = await busyRepository(world, size, organization)
    return { authorization, path: { org: organization.name } }
  },
  orgListTeamActivityFeeds: async (world, size) => {
    const organization = await world.organization(await world.person())
    const team = await world.team(organization)
    const { repository, authorization } = await busyRepository(world, size, organization)
    await world.must(organization.owner, `PUT /teams/${team.id}/repos/${repository.owner}/${repository.repo}`)
    return { authorization, path: { id: team.id } }
  },
}
