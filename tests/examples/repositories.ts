import { type Person, type Repository, times, type World } from "../support/world.ts"
import type { Examples, MakeExample } from "./example.ts"
import { PIXEL } from "./people.ts"

const as = (person: Person) => ({ authorization: person.authorization })
const at = ({ owner, repo }: Repository) => ({ owner, repo })

/** A repository, called upon by its owner. */
async function owned(world: World, options?: object) {
  const owner = await world.person()
  const repository = await world.repository(owner, options)
  return { owner, repository, ...as(owner), path: at(repository) }
}
const call = async (world: World, options?: object) => {
  const { authorization, path } = await owned(world, options)
  return { authorization, path }
}
const plain: MakeExample = (world) => call(world)

async function collaborated(world: World, size: number) {
  const { owner, authorization, path } = await owned(world)
  const people = await world.crowd(size)
  for (const { name } of people)
    await world.must(owner, `PUT /repos/${path.owner}/${path.repo}/collaborators/${name}`, { permission: "write" })
  return { authorization, path: { ...path, collaborator: people[0]?.name ?? "" } }
}

async function starred(world: World, size: number) {
  const { authorization, path } = await owned(world)
  for (const person of await world.crowd(size)) await world.must(person, `PUT /user/starred/${path.owner}/${path.repo}`)
  return { authorization, path }
}

async function stargazer(world: World, size: number) {
  const person = await world.person()
  const repositories = await world.shelf(size)
  for (const { owner, repo } of repositories) await world.must(person, `PUT /user/starred/${owner}/${repo}`)
  return { person, first: repositories[0] }
}

async function watcher(world: World, size: number) {
  const person = await world.person()
  const repositories = await world.shelf(size)
  for (const { owner, repo } of repositories) await world.must(person, `PUT /repos/${owner}/${repo}/subscription`)
  return { person, first: repositories[0] }
}

async function ownerOf(world: World, size: number): Promise<Person> {
  const person = await world.person()
  await times(size, () => world.repository(person))
  return person
}

/** A repository of an organisation, and a team beside it. */
async function besideTeam(world: World, given: boolean) {
  const organization = await world.organization(await world.person())
  const [team, { owner, repo }] = [await world.team(organization), await world.repository(organization)]
  if (given) await world.must(organization.owner, `PUT /repos/${owner}/${repo}/teams/${team.name}`)
  return { ...as(organization.owner), path: { owner, repo, team: team.name } }
}

/** A repository that was offered to a user, who answers. */
const offered: MakeExample = async (world) => {
  const { owner, path } = await owned(world)
  const recipient = await world.person()
  await world.must(owner, `POST /repos/${path.owner}/${path.repo}/transfer`, { new_owner: recipient.name })
  return { ...as(recipient), path }
}

async function withTopics(world: World, topics: readonly string[]) {
  const { owner, authorization, path } = await owned(world)
  await world.must(owner, `PUT /repos/${path.owner}/${path.repo}/topics`, { topics })
  return { authorization, path }
}

export const repositoryExamples: Examples = {
  // --- making and finding ----------------------------------------------------------------------------------------------------------
  createCurrentUserRepo: async (world) => ({
    ...as(await world.person()),
    body: {
      name: "repo",
      description: "words",
      auto_init: true,
      readme: "Default",
      license: "MIT",
      gitignores: "Node",
      issue_labels: "Default",
      private: true,
    },
  }),
  adminCreateRepo: async (world) => ({ path: { username: (await world.person()).name }, body: { name: "repo" } }),
  repoSearch: async (world, size) => {
    await world.shelf(size)
    return {}
  },
  userCurrentListRepos: async (world, size) => as(await ownerOf(world, size)),
  userListRepos: async (world, size) => ({ path: { username: (await ownerOf(world, size)).name } }),
  repoGet: plain,
  repoGetByID: async (world) => {
    const { repository, authorization } = await owned(world)
    return { authorization, path: { id: repository.id } }
  },

  // --- changing --------------------------------------------------------------------------------------------------------------------
  repoEdit: async (world) => ({
    ...(await starred(world, 1)),
    body: {
      name: world.unique("edited"),
      description: "other words",
      website: "https://example.com",
      private: true,
      has_wiki: false,
      default_merge_style: "rebase",
      archived: true,
    },
  }),
  repoDelete: (world) => starred(world, 1),
  repoUpdateAvatar: async (world) => ({ ...(await call(world)), body: { image: PIXEL } }),
  repoDeleteAvatar: async (world) => {
    const { owner, authorization, path } = await owned(world)
    await world.must(owner, `POST /repos/${path.owner}/${path.repo}/avatar`, { image: PIXEL })
    return { authorization, path }
  },
  repoTransfer: async (world) => ({ ...(await call(world)), body: { new_owner: (await world.person()).name } }),
  acceptRepoTransfer: offered,
  rejectRepoTransfer: offered,
  createFork: async (world) => ({ ...as(await world.person()), path: (await call(world, { auto_init: true })).path, body: {} }),
  listForks: async (world, size) => {
    const { path, authorization } = await call(world, { auto_init: true })
    for (const person of await world.crowd(size))
      await world.must(person, `POST /repos/${path.owner}/${path.repo}/forks`, { name: world.unique("fork") })
    return { authorization, path }
  },
  generateRepo: async (world) => {
    const { owner, authorization, path } = await owned(world, { auto_init: true, template: true })
    return {
      authorization,
      path: { template_owner: path.owner, template_repo: path.repo },
      body: { owner: owner.name, name: "generated", git_content: true, topics: true },
    }
  },

  // --- people and teams ------------------------------------------------------------------------------------------------------------
  repoListCollaborators: collaborated,
  repoCheckCollaborator: (world) => collaborated(world, 1),
  repoGetRepoPermissions: (world) => collaborated(world, 1),
  repoAddCollaborator: async (world) => {
    const { authorization, path } = await call(world)
    return { authorization, path: { ...path, collaborator: (await world.person()).name }, body: { permission: "admin" } }
  },
  repoDeleteCollaborator: (world) => collaborated(world, 1),
  repoListTeams: (world) => besideTeam(world, true),
  repoCheckTeam: (world) => besideTeam(world, true),
  repoAddTeam: (world) => besideTeam(world, false),
  repoDeleteTeam: (world) => besideTeam(world, true),

  // --- stars and watches -----------------------------------------------------------------------------------------------------------
  repoListStargazers: starred,
  repoListSubscribers: async (world, size) => {
    const { authorization, path } = await call(world)
    for (const person of await world.crowd(size)) await world.must(person, `PUT /repos/${path.owner}/${path.repo}/subscription`)
    return { authorization, path }
  },
  userCurrentListStarred: async (world, size) => as((await stargazer(world, size)).person),
  userListStarred: async (world, size) => ({ path: { username: (await stargazer(world, size)).person.name } }),
  userCurrentCheckStarring: async (world) => {
    const { person, first } = await stargazer(world, 1)
    return { ...as(person), path: { owner: first?.owner ?? "", repo: first?.repo ?? "" } }
  },
  userCurrentPutStar: async (world) => ({ ...as(await world.person()), path: (await call(world)).path }),
  userCurrentDeleteStar: async (world) => {
    const { person, first } = await stargazer(world, 1)
    return { ...as(person), path: { owner: first?.owner ?? "", repo: first?.repo ?? "" } }
  },
  userCurrentListSubscriptions: async (world, size) => as((await watcher(world, size)).person),
  userListSubscriptions: async (world, size) => ({ path: { username: (await watcher(world, size)).person.name } }),
  userCurrentCheckSubscription: plain,
  userCurrentSetSubscriptionLevel: async (world) => ({ ...(await call(world)), body: { level: "releases" } }),
  userCurrentPutSubscription: async (world) => ({ ...as(await world.person()), path: (await call(world)).path }),
  userCurrentDeleteSubscription: plain,

  // --- topics ----------------------------------------------------------------------------------------------------------------------
  repoListTopics: (world, size) =>
    withTopics(
      world,
      Array.from({ length: Math.min(size, 25) }, (_, index) => `topic-${index}`),
    ),
  repoUpdateTopics: async (world) => ({ ...(await withTopics(world, ["old", "kept"])), body: { topics: ["kept", "new"] } }),
  repoAddTopic: async (world) => {
    const { authorization, path } = await withTopics(world, ["old"])
    return { authorization, path: { ...path, topic: "added" } }
  },
  repoDeleteTopic: async (world) => {
    const { authorization, path } = await withTopics(world, ["old"])
    return { authorization, path: { ...path, topic: "old" } }
  },
  topicSearch: async (world, size) => {
    for (let index = 0; index < size; index += 25)
      await withTopics(
        world,
        Array.from({ length: 25 }, (_, each) => `searched-${index + each}`),
      )
    return { query: { q: "searched" } }
  },
}
