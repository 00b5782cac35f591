import { type Organization, type Person, times, type World } from "../support/world.ts"
import type { Examples, MakeExample } from "./example.ts"
import { PIXEL } from "./people.ts"

/** An organisation whose team has this many public members; the owner is one more. */
async function staffed(world: World, size: number) {
  const organization = await world.organization(await world.person())
  const team = await world.team(organization)
  const members = await world.crowd(size)
  for (const member of members) {
    await world.must(organization.owner, `PUT /teams/${team.id}/members/${member.name}`)
    await world.must(member, `PUT /orgs/${organization.name}/public_members/${member.name}`)
  }
  const [first] = members
  return { organization, team, member: first ?? organization.owner }
}

const as = (person: Person) => ({ authorization: person.authorization })

/** An organisation, called upon by its owner. */
const owned = async (world: World, options?: object) => {
  const organization = await world.organization(await world.person(), options)
  return { organization, ...as(organization.owner), path: { org: organization.name } }
}
const call = async (world: World) => {
  const { authorization, path } = await owned(world)
  return { authorization, path }
}

async function teamWithRepositories(world: World, size: number) {
  const { organization, team } = await staffed(world, 1)
  const [first] = await times(size, async () => {
    const repository = await world.repository(organization)
    await world.must(organization.owner, `PUT /teams/${team.id}/repos/${organization.name}/${repository.repo}`)
    return repository
  })
  return { organization, team, repo: first?.repo ?? "" }
}

async function withInvitations(world: World, size: number) {
  const { organization, team } = await staffed(world, 1)
  const { database, now } = world.hearth.services
  const ids = await database.write(async (tx) => {
    const { user_id } = await tx.selectFrom("team_members").select("user_id").where("team_id", "=", team.id).executeTakeFirstOrThrow()
    const rows = Array.from({ length: size }, (_, index) => ({
      team_id: team.id,
      lower_email: `guest${index}@example.com`,
      invited_by: user_id,
      created_at: now(),
      sent_at: now(),
      expires_at: now() + 3600,
    }))
    return (await tx.insertInto("team_invitations").values(rows).returning("id").execute()).map(({ id }) => id)
  })
  return { call: { ...as(organization.owner), path: { id: team.id } }, ids }
}

async function blocking(world: World, size: number) {
  const organization = await world.organization(await world.person())
  const blocked = await world.crowd(size)
  for (const other of blocked) await world.must(organization.owner, `PUT /orgs/${organization.name}/blocks/${other.name}`)
  return { ...as(organization.owner), path: { org: organization.name, username: blocked[0]?.name ?? "" } }
}

async function memberOf(world: World, size: number): Promise<Person> {
  const person = await world.person()
  await times(size, () => world.organization(person))
  return person
}

const onMember: MakeExample = async (world) => {
  const { organization, member } = await staffed(world, 1)
  return { ...as(organization.owner), path: { org: organization.name, username: member.name } }
}

const onTeamMember: MakeExample = async (world) => {
  const { organization, team, member } = await staffed(world, 1)
  return { ...as(organization.owner), path: { id: team.id, username: member.name } }
}

const onTeamRepository: MakeExample = async (world) => {
  const { organization, team, repo } = await teamWithRepositories(world, 1)
  return { ...as(organization.owner), path: { id: team.id, org: organization.name, repo } }
}

const everyOrganization: MakeExample = async (world, size) => {
  await memberOf(world, size)
  return {}
}

const label = async (world: World, organization: Organization) =>
  world.must<{ id: number }>(organization.owner, `POST /orgs/${organization.name}/labels`, {
    name: world.unique("label"),
    color: "#00aabb",
  })

const onLabel: MakeExample = async (world) => {
  const { organization, authorization, path } = await owned(world)
  return { authorization, path: { ...path, id: (await label(world, organization)).id } }
}

export const organizationExamples: Examples = {
  orgGetAll: everyOrganization,
  adminGetAllOrgs: everyOrganization,
  orgCreate: async (world) => ({
    ...as(await world.person()),
    body: { username: world.unique("org"), full_name: "An Organization", visibility: "limited" },
  }),
  adminListUserOrgs: async (world, size) => ({ path: { username: (await memberOf(world, size)).name } }),
  adminCreateOrg: async (world) => ({ path: { username: (await world.person()).name }, body: { username: world.unique("org") } }),
  orgGet: call,
  orgEdit: async (world) => ({
    ...(await call(world)),
    body: { full_name: "Another Name", visibility: "private", repo_admin_change_team_access: true },
  }),
  renameOrg: async (world) => ({ ...(await call(world)), body: { new_name: world.unique("renamed") } }),
  orgDelete: async (world) => {
    const { organization } = await staffed(world, 1)
    return { ...as(organization.owner), path: { org: organization.name } }
  },
  orgUpdateAvatar: async (world) => ({ ...(await call(world)), body: { image: PIXEL } }),
  orgDeleteAvatar: async (world) => {
    const { organization, authorization, path } = await owned(world)
    await world.must(organization.owner, `POST /orgs/${organization.name}/avatar`, { image: PIXEL })
    return { authorization, path }
  },
  orgListCurrentUserOrgs: async (world, size) => as(await memberOf(world, size)),
  orgListUserOrgs: async (world, size) => ({ path: { username: (await memberOf(world, size)).name } }),
  orgGetUserPermissions: async (world) => {
    const { organization, member } = await staffed(world, 1)
    return { ...as(member), path: { org: organization.name, username: member.name } }
  },

  // --- members ---------------------------------------------------------------------------------------------------------------------
  orgListMembers: async (world, size) => {
    const { organization } = await staffed(world, size)
    return { ...as(organization.owner), path: { org: organization.name } }
  },
  orgIsMember: onMember,
  orgDeleteMember: onMember,
  orgListPublicMembers: async (world, size) => ({ path: { org: (await staffed(world, size)).organization.name } }),
  orgIsPublicMember: onMember,
  orgPublicizeMember: async (world) => {
    const { organization, authorization, path } = await owned(world)
    return { authorization, path: { ...path, username: organization.owner.name } }
  },
  orgConcealMember: async (world) => {
    const { organization, member } = await staffed(world, 1)
    return { ...as(member), path: { org: organization.name, username: member.name } }
  },
  organizationListBlocks: blocking,
  organizationCheckUserBlock: (world) => blocking(world, 1),
  organizationBlockUser: async (world) => {
    const { organization, authorization, path } = await owned(world)
    const other = await world.person()
    const { repo } = await world.repository(organization)
    await world.must(organization.owner, `PUT /repos/${organization.name}/${repo}/collaborators/${other.name}`, { permission: "read" })
    return { authorization, path: { ...path, username: other.name }, query: { note: "a reason" } }
  },
  organizationUnblockUser: (world) => blocking(world, 1),

  // --- labels ----------------------------------------------------------------------------------------------------------------------
  orgListLabels: async (world, size) => {
    const { organization, authorization, path } = await owned(world)
    await times(size, () => label(world, organization))
    return { authorization, path }
  },
  orgCreateLabel: async (world) => ({ ...(await call(world)), body: { name: "a label", color: "#00aabb", description: "words" } }),
  orgGetLabel: onLabel,
  orgEditLabel: async (world) => ({ ...(await onLabel(world, 1)), body: { name: "another", color: "ff0000", is_archived: true } }),
  orgDeleteLabel: onLabel,

  // --- teams -----------------------------------------------------------------------------------------------------------------------
  orgListTeams: async (world, size) => {
    const { organization, authorization, path } = await owned(world)
    await times(size, () => world.team(organization))
    return { authorization, path }
  },
  teamSearch: async (world, size) => {
    const { organization, authorization, path } = await owned(world)
    await times(size, () => world.team(organization))
    return { authorization, path }
  },
  orgCreateTeam: async (world) => ({
    ...(await call(world)),
    body: {
      name: "a-team",
      description: "words",
      permission: "write",
      units_map: { "repo.code": "write", "repo.issues": "read" },
      includes_all_repositories: true,
    },
  }),
  orgGetTeam: async (world) => {
    const { organization, team } = await staffed(world, 1)
    return { ...as(organization.owner), path: { id: team.id } }
  },
  orgEditTeam: async (world) => {
    const { organization, team } = await staffed(world, 1)
    await world.repository(organization)
    return {
      ...as(organization.owner),
      path: { id: team.id },
      body: { name: "edited", includes_all_repositories: true, units_map: { "repo.code": "write" } },
    }
  },
  orgDeleteTeam: async (world) => {
    const { organization, team } = await teamWithRepositories(world, 1)
    return { ...as(organization.owner), path: { id: team.id } }
  },
  userListTeams: async (world, size) => as(await memberOf(world, size)),
  orgListTeamMembers: async (world, size) => {
    const { organization, team } = await staffed(world, size)
    return { ...as(organization.owner), path: { id: team.id } }
  },
  orgListTeamMember: onTeamMember,
  orgAddTeamMember: async (world) => {
    const { organization, team } = await teamWithRepositories(world, 1)
    return { ...as(organization.owner), path: { id: team.id, username: (await world.person()).name } }
  },
  orgRemoveTeamMember: onTeamMember,
  orgListTeamInvitations: async (world, size) => (await withInvitations(world, Math.min(size, 50))).call,
  orgInviteToTeam: async (world) => {
    const { organization, team } = await teamWithRepositories(world, 1)
    return { ...as(organization.owner), path: { id: team.id }, body: { email: "guest@example.com" } }
  },
  orgWithdrawTeamInvitation: async (world) => {
    const { call, ids } = await withInvitations(world, 1)
    return { ...call, path: { ...call.path, invitation_id: ids[0] ?? 0 } }
  },
  orgListTeamRepos: async (world, size) => {
    const { organization, team } = await teamWithRepositories(world, size)
    return { ...as(organization.owner), path: { id: team.id } }
  },
  orgListTeamRepo: onTeamRepository,
  orgAddTeamRepository: async (world) => {
    const { organization, team } = await staffed(world, 1)
    const { repo } = await world.repository(organization)
    return { ...as(organization.owner), path: { id: team.id, org: organization.name, repo } }
  },
  orgRemoveTeamRepository: onTeamRepository,

  // --- repositories ----------------------------------------------------------------------------------------------------------------
  orgListRepos: async (world, size) => {
    const { organization, authorization, path } = await owned(world)
    await times(size, () => world.repository(organization))
    return { authorization, path }
  },
  createOrgRepo: async (world) => {
    const { organization } = await staffed(world, 1)
    await world.team(organization, { includes_all_repositories: true })
    return { ...as(organization.owner), path: { org: organization.name }, body: { name: "repo", auto_init: true, readme: "Default" } }
  },
  createOrgRepoDeprecated: async (world) => ({ ...(await call(world)), body: { name: "repo" } }),
  orgDeleteRepos: async (world) => {
    const { organization, authorization, path } = await owned(world)
    await times(2, () => world.repository(organization))
    return { authorization, path }
  },
}
