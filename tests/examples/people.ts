import { type Organization, type Person, times, type World } from "../support/world.ts"
import type { Examples, MakeExample } from "./example.ts"

/** A picture of one pixel. */
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

async function badge({ hearth, unique }: World): Promise<string> {
  const slug = unique("badge")
  await hearth.services.database.write((tx) => tx.insertInto("badges").values({ slug, description: "", image_url: "" }).execute())
  return slug
}

async function badgedPerson(world: World) {
  const [{ name }, slug] = [await world.person(), await badge(world)]
  await world.must("root", `POST /admin/users/${name}/badges`, { badge_slugs: [slug] })
  return { name, slug }
}

/** A user with followers, or who follows others. */
async function followed(world: World, size: number) {
  const person = await world.person()
  for (const other of await world.crowd(size)) await world.must(other, `PUT /user/following/${person.name}`)
  return person
}

async function following(world: World, size: number) {
  const person = await world.person()
  for (const other of await world.crowd(size)) await world.must(person, `PUT /user/following/${other.name}`)
  return person
}

async function blocking(world: World, size: number) {
  const person = await world.person()
  const blocked = await world.crowd(size)
  for (const other of blocked) await world.must(person, `PUT /user/blocks/${other.name}`)
  return { person, blocked: blocked[0]?.name ?? "" }
}

/** Tokens that are limited to a repository, as those that need most statements. */
async function withTokens(world: World, size: number) {
  const person = await world.person()
  const { owner, repo } = await world.repository(person)
  const body = (index: number) => ({ name: `token-${index}`, scopes: ["read:repository"], repositories: [`${owner}/${repo}`] })
  await times(size - 1, (index) => world.must({ ...person, authorization: person.basic }, `POST /users/${person.name}/tokens`, body(index)))
  return person
}

/** A token for one task, with which so many issues were made in a new repository. */
async function withDeeds(world: World, home: Person | Organization, size: number) {
  const owner = "owner" in home ? home.owner : home
  const repository = await world.repository(home)
  const full = `${repository.owner}/${repository.repo}`
  const wish = {
    name: world.unique("task"),
    scopes: ["write:issue"],
    repositories: [full],
    operations: ["issueCreateIssue"],
    expires_at: new Date((world.hearth.services.now() + 3_600) * 1_000).toISOString(),
  }
  const token = await world.must<{ name: string; sha1: string }>(
    { ...owner, authorization: owner.basic },
    `POST /users/${owner.name}/tokens`,
    wish,
  )
  await times(size, (index) =>
    world.must({ ...owner, authorization: `token ${token.sha1}` }, `POST /repos/${full}/issues`, { title: `by a token ${index}` }),
  )
  return { repository, token }
}

const everybody: MakeExample = async (world, size) => {
  await world.crowd(size)
  return {}
}

const self: MakeExample = async (world) => ({ authorization: (await world.person()).authorization })

export const peopleExamples: Examples = {
  // --- by the site's administrator -------------------------------------------------------------------------------------------------
  adminGetAllEmails: everybody,
  adminSearchEmails: everybody,
  adminSearchUsers: everybody,
  adminCreateUser: ({ unique }) => {
    const username = unique("made")
    return { body: { username, email: `${username}@example.com`, password: "a long password", must_change_password: false } }
  },
  adminEditUser: async (world) => {
    const { name } = await world.person()
    return {
      path: { username: name },
      body: {
        login_name: name,
        source_id: 0,
        full_name: "A Name",
        email: `${world.unique("new")}@example.com`,
        prohibit_login: true,
      },
    }
  },
  adminDeleteUser: async (world) => ({ path: { username: (await followed(world, 1)).name } }),
  adminRenameUser: async (world) => ({ path: { username: (await world.person()).name }, body: { new_username: world.unique("renamed") } }),
  adminListUserBadges: async (world) => ({ path: { username: (await badgedPerson(world)).name } }),
  adminAddUserBadges: async (world) => ({ path: { username: (await world.person()).name }, body: { badge_slugs: [await badge(world)] } }),
  adminDeleteUserBadges: async (world) => {
    const { name, slug } = await badgedPerson(world)
    return { path: { username: name }, body: { badge_slugs: [slug] } }
  },

  // --- oneself ---------------------------------------------------------------------------------------------------------------------
  userGetCurrent: self,
  getUserSettings: self,
  updateUserSettings: async (world) => ({
    ...(await self(world, 1)),
    body: { full_name: "Another Name", hide_email: true, language: "en-GB" },
  }),
  userListEmails: self,
  userAddEmail: async (world) => ({
    ...(await self(world, 1)),
    body: { emails: [`${world.unique("more")}@example.com`, `${world.unique("more")}@example.com`] },
  }),
  userDeleteEmail: async (world) => {
    const person = await world.person()
    const email = `${world.unique("more")}@example.com`
    await world.must(person, "POST /user/emails", { emails: [email] })
    return { authorization: person.authorization, body: { emails: [email] } }
  },
  userUpdateAvatar: async (world) => ({ ...(await self(world, 1)), body: { image: PIXEL } }),
  userDeleteAvatar: async (world) => {
    const person = await world.person()
    await world.must(person, "POST /user/avatar", { image: PIXEL })
    return { authorization: person.authorization }
  },
  userCurrentListFollowers: async (world, size) => ({ authorization: (await followed(world, size)).authorization }),
  userCurrentListFollowing: async (world, size) => ({ authorization: (await following(world, size)).authorization }),
  userCurrentCheckFollowing: async (world) => {
    const [other] = await world.crowd(1)
    return { authorization: (await following(world, 1)).authorization, path: { username: other?.name ?? "" } }
  },
  userCurrentPutFollow: async (world) => ({ ...(await self(world, 1)), path: { username: (await world.person()).name } }),
  userCurrentDeleteFollow: async (world) => {
    const [other] = await world.crowd(1)
    return { authorization: (await following(world, 1)).authorization, path: { username: other?.name ?? "" } }
  },
  userListBlocks: async (world, size) => ({ authorization: (await blocking(world, size)).person.authorization }),
  userCheckUserBlock: async (world) => {
    const { person, blocked } = await blocking(world, 1)
    return { authorization: person.authorization, path: { username: blocked } }
  },
  userBlockUser: async (world) => {
    // A blocked user loses stars, watches and collaborations, so that there is something to remove.
    const person = await following(world, 1)
    const [other] = await world.crowd(1)
    const { owner, repo } = await world.repository(person)
    await world.must(other ?? person, `PUT /user/starred/${owner}/${repo}`)
    return { authorization: person.authorization, path: { username: other?.name ?? "" } }
  },
  userUnblockUser: async (world) => {
    const { person, blocked } = await blocking(world, 1)
    return { authorization: person.authorization, path: { username: blocked } }
  },
  getCurrentToken: self,
  deleteCurrentToken: self,
  userGetTokens: async (world, size) => {
    const person = await withTokens(world, size)
    return { authorization: person.basic, path: { username: person.name } }
  },
  userCreateToken: async (world) => {
    const person = await world.person()
    return { authorization: person.basic, path: { username: person.name }, body: { name: "another", scopes: ["write:repository"] } }
  },
  adminListTokens: async (world, size) => {
    const { name } = await withTokens(world, size)
    return { query: { q: name } }
  },
  adminDeleteToken: async (world) => {
    const { id } = await world.person()
    const token = await world.hearth.services.database.read
      .selectFrom("access_tokens")
      .select("id")
      .where("user_id", "=", id)
      .executeTakeFirstOrThrow()
    return { path: { id: token.id } }
  },
  userDeleteAccessToken: async (world) => {
    const person = await withTokens(world, 2)
    return { authorization: person.basic, path: { username: person.name, token: "token-0" } }
  },
  userListTokenDeeds: async (world, size) => {
    const person = await world.person()
    const { token } = await withDeeds(world, person, size)
    return { authorization: person.basic, path: { username: person.name, token: token.name } }
  },
  repoListTokenDeeds: async (world, size) => {
    const person = await world.person()
    const { repository } = await withDeeds(world, person, size)
    return { authorization: person.authorization, path: { owner: repository.owner, repo: repository.repo } }
  },
  orgListTokenDeeds: async (world, size) => {
    const organization = await world.organization(await world.person())
    await withDeeds(world, organization, size)
    return { authorization: organization.owner.authorization, path: { org: organization.name } }
  },

  // --- others ----------------------------------------------------------------------------------------------------------------------
  userSearch: everybody,
  userGet: async (world) => ({ path: { username: (await world.person()).name } }),
  userListFollowers: async (world, size) => ({ path: { username: (await followed(world, size)).name } }),
  userListFollowing: async (world, size) => ({ path: { username: (await following(world, size)).name } }),
  userCheckFollowing: async (world) => {
    const [other] = await world.crowd(1)
    return { path: { username: (await following(world, 1)).name, target: other?.name ?? "" } }
  },
  userGetHeatmapData: async (world) => {
    const person = await world.person()
    await world.repository(person)
    return { path: { username: person.name } }
  },
}
