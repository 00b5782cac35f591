import { makeGpgKey } from "../../../src/features/people/keys/testing.ts"
import type { Case, Scene } from "./case.ts"

const organization = async ({ world, must, unique }: Scene): Promise<string> => {
  const name = unique("org")
  await must(world.alice, "POST /orgs", { username: name })
  return name
}
const team = async (scene: Scene): Promise<{ readonly org: string; readonly at: string }> => {
  const org = await organization(scene)
  const { id } = await scene.must(scene.world.alice, `POST /orgs/${org}/teams`, { name: "crew", units_map: { "repo.code": "read" } })
  return { org, at: `/teams/${id}` }
}
const sshKey = (): string => {
  const blob = Buffer.concat([
    Buffer.from([0, 0, 0, 11]),
    Buffer.from("ssh-ed25519"),
    Buffer.from([0, 0, 0, 32]),
    crypto.getRandomValues(Buffer.alloc(32)),
  ])
  return `ssh-ed25519 ${blob.toString("base64")}`
}

export const peopleCases: readonly Case[] = [
  {
    name: "a user is followed",
    prepare: async ({ world, must }) => {
      await must(world.alice, "DELETE /user/following/carol")
      return { by: world.alice, route: "PUT /user/following/carol" }
    },
    first: 204,
    others: 204,
    leaves: { follows: 1 },
  },
  {
    name: "a user is no longer followed",
    prepare: async ({ world, must }) => {
      await must(world.alice, "PUT /user/following/carol")
      return { by: world.alice, route: "DELETE /user/following/carol" }
    },
    first: 204,
    others: 204,
    leaves: { follows: -1 },
  },
  {
    name: "a key is added to an account",
    prepare: async ({ world, unique }) => ({ by: world.alice, route: "POST /user/keys", body: { title: unique("key"), key: sshKey() } }),
    first: 201,
    others: 422,
    leaves: { public_keys: 1 },
  },
  {
    name: "a key is removed from an account",
    prepare: async ({ world, must, unique }) => {
      const { id } = await must(world.alice, "POST /user/keys", { title: unique("key"), key: sshKey() })
      return { by: world.alice, route: `DELETE /user/keys/${id}` }
    },
    first: 204,
    others: 404,
    leaves: { public_keys: -1 },
  },
  {
    name: "a key is added to a repository",
    prepare: async ({ world, repo }) => ({ by: world.alice, route: `POST ${repo.at}/keys`, body: { title: "key", key: sshKey() } }),
    first: 201,
    others: 422,
    leaves: { public_keys: 1, deploy_keys: 1 },
  },
  {
    name: "an address is added",
    prepare: async ({ world, unique }) => ({
      by: world.alice,
      route: "POST /user/emails",
      body: { emails: [`${unique("alice")}@example.com`] },
    }),
    first: 201,
    others: 422,
    leaves: { emails: 1 },
  },
  {
    name: "a token is made",
    prepare: async ({ world, unique }) => ({
      by: world.alice,
      route: "POST /users/alice/tokens",
      body: { name: unique("token"), scopes: ["all"] },
    }),
    first: 201,
    others: 400,
    leaves: { access_tokens: 1 },
  },
  {
    name: "a user is blocked",
    prepare: async (scene) => {
      const name = scene.unique("pest")
      await scene.world.person(name)
      return { by: scene.world.alice, route: `PUT /user/blocks/${name}` }
    },
    first: 204,
    others: 204,
    leaves: { blocks: 1 },
  },
  {
    name: "a user is unblocked",
    prepare: async (scene) => {
      const name = scene.unique("pest")
      await scene.world.person(name)
      await scene.must(scene.world.alice, `PUT /user/blocks/${name}`)
      return { by: scene.world.alice, route: `DELETE /user/blocks/${name}` }
    },
    first: 204,
    others: 204,
    leaves: { blocks: -1 },
  },
  {
    name: "settings are changed",
    prepare: async ({ world, unique }) => ({ by: world.alice, route: "PATCH /user/settings", body: { location: unique("town") } }),
    first: 200,
    others: 200,
    leaves: {},
  },
  {
    name: "a token is deleted",
    prepare: async ({ world, must, unique }) => {
      const { id } = await must(world.alice, "POST /users/alice/tokens", { name: unique("token"), scopes: ["all"] })
      return { by: world.alice, route: `DELETE /users/alice/tokens/${id}` }
    },
    first: 204,
    others: 404,
    leaves: { access_tokens: -1 },
  },
  {
    name: "an OpenPGP key is removed from an account",
    prepare: async ({ world, must, unique }) => {
      const email = `${unique("alice")}@example.com`
      await must(world.alice, "POST /user/emails", { emails: [email] })
      const { armored } = await makeGpgKey({ emails: [email] })
      const { id } = await must(world.alice, "POST /user/gpg_keys", { armored_public_key: armored })
      return { by: world.alice, route: `DELETE /user/gpg_keys/${id}` }
    },
    first: 204,
    others: 204,
    // Two subkeys go with it.
    leaves: { gpg_keys: -3, gpg_key_emails: -1 },
  },
  {
    name: "an organization is made",
    prepare: async ({ world, unique }) => ({ by: world.alice, route: "POST /orgs", body: { username: unique("org") } }),
    first: 201,
    others: 422,
    leaves: { users: 1, organization_members: 1, team_members: 1, teams: 1 },
  },
  {
    name: "an organization is deleted",
    prepare: async (scene) => ({ by: scene.world.alice, route: `DELETE /orgs/${await organization(scene)}` }),
    first: 204,
    others: 404,
    leaves: { users: -1, organization_members: -1, team_members: -1, teams: -1 },
  },
  {
    name: "an organization is edited",
    prepare: async (scene) => ({
      by: scene.world.alice,
      route: `PATCH /orgs/${await organization(scene)}`,
      body: { description: "of gardeners", visibility: "limited" },
    }),
    first: 200,
    others: 200,
    leaves: {},
  },
  {
    name: "an organization is renamed",
    prepare: async (scene) => ({
      by: scene.world.alice,
      route: `POST /orgs/${await organization(scene)}/rename`,
      body: { new_name: scene.unique("renamed") },
    }),
    first: 204,
    others: 307,
    // One that found the organization by its old name finds that it has the new one.
    overlapping: [204],
    leaves: { user_redirects: 1 },
  },
  {
    name: "a team is made",
    prepare: async (scene) => ({
      by: scene.world.alice,
      route: `POST /orgs/${await organization(scene)}/teams`,
      body: { name: "crew", units_map: { "repo.code": "read" } },
    }),
    first: 201,
    others: 422,
    leaves: { teams: 1, team_units: 1 },
  },
  {
    name: "a team is edited",
    prepare: async (scene) => ({
      by: scene.world.alice,
      route: `PATCH ${(await team(scene)).at}`,
      body: { name: "staff", units_map: { "repo.code": "write", "repo.issues": "read" } },
    }),
    first: 200,
    others: 200,
    leaves: { team_units: 1 },
  },
  {
    name: "a team is deleted",
    prepare: async (scene) => ({ by: scene.world.alice, route: `DELETE ${(await team(scene)).at}` }),
    first: 204,
    others: 404,
    leaves: { teams: -1, team_units: -1 },
  },
  {
    name: "a user joins a team",
    prepare: async (scene) => ({ by: scene.world.alice, route: `PUT ${(await team(scene)).at}/members/bob` }),
    first: 204,
    others: 204,
    leaves: { organization_members: 1, team_members: 1 },
  },
  {
    name: "a user leaves a team",
    prepare: async (scene) => {
      const { at } = await team(scene)
      await scene.must(scene.world.alice, `PUT ${at}/members/bob`)
      return { by: scene.world.alice, route: `DELETE ${at}/members/bob` }
    },
    first: 204,
    others: 204,
    leaves: { organization_members: -1, team_members: -1 },
  },
  {
    name: "a user leaves an organization",
    prepare: async (scene) => {
      const { org, at } = await team(scene)
      await scene.must(scene.world.alice, `PUT ${at}/members/bob`)
      return { by: scene.world.alice, route: `DELETE /orgs/${org}/members/bob` }
    },
    first: 204,
    others: 204,
    leaves: { organization_members: -1, team_members: -1 },
  },
  {
    name: "a team gets a repository",
    prepare: async (scene) => {
      const { org, at } = await team(scene)
      const name = scene.unique("owned")
      await scene.must(scene.world.alice, `POST /orgs/${org}/repos`, { name })
      return { by: scene.world.alice, route: `PUT ${at}/repos/${org}/${name}` }
    },
    first: 204,
    others: 204,
    leaves: { team_repositories: 1 },
  },
  {
    name: "a team gives a repository up",
    prepare: async (scene) => {
      const { org, at } = await team(scene)
      const name = scene.unique("owned")
      await scene.must(scene.world.alice, `POST /orgs/${org}/repos`, { name })
      await scene.must(scene.world.alice, `PUT ${at}/repos/${org}/${name}`)
      return { by: scene.world.alice, route: `DELETE ${at}/repos/${org}/${name}` }
    },
    first: 204,
    others: 204,
    leaves: { team_repositories: -1 },
  },
]
