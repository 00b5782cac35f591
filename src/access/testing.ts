import fc from "fast-check"
import type { User } from "../core/actor.ts"
import type { Transaction } from "../core/database/database.ts"
import { flag } from "../core/database/tables/index.ts"
import type { Visibility } from "../core/database/tables/people.ts"
import { UNITS, type Unit } from "./modes.ts"
import type { Owned } from "./permission.ts"
import type { Team } from "./visibility.ts"

/** Worlds of people, organizations, teams and repositories for tests of access: as plain data, and as rows. */

const SWITCHES = [
  "has_code",
  "has_issues",
  "has_pull_requests",
  "has_releases",
  "has_wiki",
  "has_projects",
  "has_packages",
  "has_actions",
] as const
export type Switch = (typeof SWITCHES)[number]

export interface World {
  readonly people: readonly {
    readonly admin: boolean
    readonly restricted: boolean
    readonly hasFactor: boolean
    readonly visibility: Visibility
  }[]
  /** `requires`: a second factor of its members. */
  readonly organizations: readonly { readonly visibility: Visibility; readonly requires: boolean; readonly members: readonly number[] }[]
  readonly teams: readonly {
    readonly organization: number
    readonly mode: number
    readonly creates: boolean
    readonly visibility: Visibility
    readonly units: readonly (readonly [Unit, number])[]
    readonly members: readonly number[]
    readonly repositories: readonly number[]
  }[]
  readonly repositories: readonly {
    /** An index among people, or among organisations. */
    readonly owner: number
    readonly ofOrganization: boolean
    readonly private: boolean
    /** The disabled units and settings. */
    readonly off: readonly Switch[]
    /** Whether issues and wiki are external. */
    readonly externalIssues: boolean
    readonly externalWiki: boolean
    readonly collaborators: readonly (readonly [number, number])[]
    /** Offered to a person (an index), or to an organisation. */
    readonly offer: { readonly to: number; readonly organization: boolean } | null
  }[]
}

const PEOPLE = 4
const ORGANIZATIONS = 2
const REPOSITORIES = 5
const visibility = fc.constantFrom<Visibility>("public", "limited", "private")
const person = fc.nat(PEOPLE - 1)
export const worlds: fc.Arbitrary<World> = fc.record({
  people: fc.array(fc.record({ admin: fc.boolean(), restricted: fc.boolean(), hasFactor: fc.boolean(), visibility }), {
    minLength: PEOPLE,
    maxLength: PEOPLE,
  }),
  organizations: fc.array(fc.record({ visibility, requires: fc.boolean(), members: fc.uniqueArray(person, { maxLength: 2 }) }), {
    minLength: ORGANIZATIONS,
    maxLength: ORGANIZATIONS,
  }),
  teams: fc.array(
    fc.record({
      organization: fc.nat(ORGANIZATIONS - 1),
      mode: fc.constantFrom(0, 0, 0, 3, 4),
      creates: fc.boolean(),
      visibility,
      units: fc.uniqueArray(fc.tuple(fc.constantFrom(...UNITS), fc.nat(2)), { maxLength: 3, selector: ([unit]) => unit }),
      members: fc.uniqueArray(person, { maxLength: 3 }),
      repositories: fc.uniqueArray(fc.nat(REPOSITORIES - 1), { maxLength: 3 }),
    }),
    { maxLength: 4 },
  ),
  repositories: fc.array(
    fc.record({
      owner: fc.nat(1),
      ofOrganization: fc.boolean(),
      private: fc.boolean(),
      off: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.subarray([...SWITCHES]) }),
      externalIssues: fc.boolean(),
      externalWiki: fc.boolean(),
      collaborators: fc.uniqueArray(fc.tuple(person, fc.integer({ min: 1, max: 3 })), { maxLength: 2, selector: ([who]) => who }),
      offer: fc.option(fc.record({ to: fc.nat(1), organization: fc.boolean() }), { freq: 4 }),
    }),
    { minLength: REPOSITORIES, maxLength: REPOSITORIES },
  ),
})

/** What belongs to an account: to its repository of that index, or to itself. */
interface Belonging {
  readonly id: number
  readonly owner: User
  readonly repository: number | null
}

export interface Built {
  readonly people: readonly User[]
  readonly organizations: readonly User[]
  readonly repositories: readonly Owned[]
  readonly teams: readonly Team[]
  readonly projects: readonly Belonging[]
  /** Every other one is restricted. */
  readonly packages: readonly (Belonging & { readonly isRestricted: boolean })[]
}

export async function build(tx: Transaction, world: World): Promise<Built> {
  const isRequired = world.organizations.some(({ requires }) => requires)
  const insertUser = (
    name: string,
    values: {
      readonly kind: User["kind"]
      readonly visibility: Visibility
      readonly admin?: boolean
      readonly restricted?: boolean
      readonly hasFactor?: boolean
      readonly requires?: boolean
    },
  ) =>
    tx
      .insertInto("users")
      .values({
        created_at: 0,
        updated_at: 0,
        kind: values.kind,
        name,
        lower_name: name,
        visibility: values.visibility,
        is_admin: flag(values.admin ?? false),
        is_restricted: flag(values.restricted ?? false),
        has_second_factor: flag(values.hasFactor ?? false),
        lacks_required_factor: flag(isRequired && values.hasFactor === false),
        requires_second_factor: flag(values.requires ?? false),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  const people: User[] = []
  for (const [index, values] of world.people.entries()) people.push(await insertUser(`person${index}`, { kind: "person", ...values }))
  const organizations: User[] = []
  for (const [index, { visibility: shown, requires }] of world.organizations.entries())
    organizations.push(await insertUser(`org${index}`, { kind: "organization", visibility: shown, requires }))
  const personAt = (index: number): number => people[index]?.id ?? 0
  const organizationAt = (index: number): number => organizations[index]?.id ?? 0

  const repositories: Owned[] = []
  for (const [index, values] of world.repositories.entries()) {
    const owner = values.ofOrganization ? organizations[values.owner] : people[values.owner]
    if (!owner) throw new Error("no such owner")
    const repository = await tx
      .insertInto("repositories")
      .values({
        owner_id: owner.id,
        default_branch: "main",
        object_format: "sha1",
        created_at: 0,
        updated_at: 0,
        name: `r${index}`,
        lower_name: `r${index}`,
        storage: `s${index}`,
        is_private: flag(values.private),
        ...Object.fromEntries(values.off.map((name) => [name, 0])),
        external_tracker_url: values.externalIssues ? "https://issues.example" : "",
        external_wiki_url: values.externalWiki ? "https://wiki.example" : "",
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    repositories.push({ repository, owner })
    for (const [who, mode] of values.collaborators)
      await tx
        .insertInto("collaborations")
        .values({ repository_id: repository.id, user_id: personAt(who), mode, created_at: 0 })
        .execute()
    if (values.offer) {
      const recipient = values.offer.organization ? organizationAt(values.offer.to) : personAt(values.offer.to)
      await tx
        .insertInto("repository_transfers")
        .values({ repository_id: repository.id, doer_id: owner.id, recipient_id: recipient, team_ids: "[]", created_at: 0 })
        .execute()
    }
  }
  const members = new Set<string>()
  const join = async (organization: number, who: number): Promise<void> => {
    if (members.has(`${organization} ${who}`)) return
    members.add(`${organization} ${who}`)
    await tx
      .insertInto("organization_members")
      .values({ organization_id: organizationAt(organization), user_id: personAt(who), is_public: 0 })
      .execute()
  }
  for (const [index, { members: joined }] of world.organizations.entries()) for (const who of joined) await join(index, who)
  const teams: Team[] = []
  for (const [index, team] of world.teams.entries()) {
    const organization_id = organizationAt(team.organization)
    const made = await tx
      .insertInto("teams")
      .values({
        organization_id,
        name: `team${index}`,
        lower_name: `team${index}`,
        description: "",
        mode: team.mode,
        includes_all_repositories: 0,
        can_create_repositories: flag(team.creates),
        visibility: team.visibility,
        created_at: 0,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const { id } = made
    teams.push(made)
    for (const [unit, mode] of team.units) await tx.insertInto("team_units").values({ team_id: id, unit, mode }).execute()
    for (const who of team.members) {
      await join(team.organization, who)
      await tx
        .insertInto("team_members")
        .values({ team_id: id, user_id: personAt(who), organization_id })
        .execute()
    }
    // A team has repositories of its own organisation only.
    for (const at of team.repositories) {
      const owned = repositories[at]
      if (owned?.owner.id === organization_id)
        await tx.insertInto("team_repositories").values({ team_id: id, repository_id: owned.repository.id, organization_id }).execute()
    }
  }
  const places = [
    ...[...people, ...organizations].map((owner) => ({ owner, repository: null })),
    ...repositories.map(({ owner }, repository) => ({ owner, repository })),
  ]
  const projects: Belonging[] = []
  const packages: (Belonging & { readonly isRestricted: boolean })[] = []
  for (const [index, { owner, repository }] of places.entries()) {
    const repository_id = repository === null ? null : (repositories[repository]?.repository.id ?? null)
    const named = { repository_id, created_at: 0, updated_at: 0 }
    const project = await tx
      .insertInto("projects")
      .values({
        ...named,
        owner_id: repository === null ? owner.id : null,
        creator_id: owner.id,
        title: "",
        description: "",
        template_type: "none",
        card_type: "text_only",
      })
      .returning("id")
      .executeTakeFirstOrThrow()
    projects.push({ ...project, owner, repository })
    const isRestricted = index % 2 === 1
    const made = await tx
      .insertInto("packages")
      .values({
        owner_id: owner.id,
        repository_id,
        type: "generic",
        name: `p${index}`,
        lower_name: `p${index}`,
        is_restricted: flag(isRestricted),
        created_at: 0,
      })
      .returning("id")
      .executeTakeFirstOrThrow()
    packages.push({ ...made, owner, repository, isRestricted })
  }
  return { people, organizations, repositories, teams, projects, packages }
}
