import fc from "fast-check"
import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { databaseKinds, type FreshDatabase, freshDatabase } from "../../tests/support/database.ts"
import { type Actor, anonymous, type User } from "../core/actor.ts"
import type { Transaction } from "../core/database/database.ts"
import { flag, type Visibility } from "../core/database/tables.ts"
import { UNITS, type Unit } from "./modes.ts"
import { type Owned, type Permission, permissionsOn, reaches, unitMode } from "./permission.ts"
import { mayRead } from "./readers.ts"
import { readableRepositories, visibleRepositories } from "./visibility.ts"

/**
 * Access is decided twice for speed: `permissionsOn` for rows at hand, `visibleRepositories` inside a list's query. Both are held here
 * against a third version that follows the rules one by one, slowly, from a world described as plain data.
 */

interface World {
  readonly people: readonly { readonly admin: boolean; readonly restricted: boolean; readonly visibility: Visibility }[]
  readonly organizations: readonly { readonly visibility: Visibility; readonly members: readonly number[] }[]
  readonly teams: readonly {
    readonly organization: number
    readonly mode: number
    readonly creates: boolean
    readonly units: readonly (readonly [Unit, number])[]
    readonly members: readonly number[]
    readonly repositories: readonly number[]
  }[]
  readonly repositories: readonly {
    /** An index among people, or among organisations. */
    readonly owner: number
    readonly ofOrganization: boolean
    readonly private: boolean
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
const worlds: fc.Arbitrary<World> = fc.record({
  people: fc.array(fc.record({ admin: fc.boolean(), restricted: fc.boolean(), visibility }), { minLength: PEOPLE, maxLength: PEOPLE }),
  organizations: fc.array(fc.record({ visibility, members: fc.uniqueArray(person, { maxLength: 2 }) }), {
    minLength: ORGANIZATIONS,
    maxLength: ORGANIZATIONS,
  }),
  teams: fc.array(
    fc.record({
      organization: fc.nat(ORGANIZATIONS - 1),
      mode: fc.constantFrom(0, 0, 0, 3, 4),
      creates: fc.boolean(),
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
      collaborators: fc.uniqueArray(fc.tuple(person, fc.integer({ min: 1, max: 3 })), { maxLength: 2, selector: ([who]) => who }),
      offer: fc.option(fc.record({ to: fc.nat(1), organization: fc.boolean() }), { freq: 4 }),
    }),
    { minLength: REPOSITORIES, maxLength: REPOSITORIES },
  ),
})

/** What person `who` (or nobody) may do on a repository of the world, rule by rule. */
function slowly(
  world: World,
  who: number | undefined,
  publicOnly: boolean,
  index: number,
): { readonly mode: number; readonly unit: (unit: Unit) => number } {
  const all = (mode: number) => ({ mode, unit: () => mode })
  const repository = world.repositories[index]
  if (!repository) throw new Error("no such repository")
  const organization = repository.ofOrganization ? world.organizations[repository.owner] : undefined
  const ownerVisibility = organization?.visibility ?? world.people[repository.owner]?.visibility
  const openToAll = !repository.private && ownerVisibility === "public"
  if (who === undefined) return all(openToAll ? 1 : 0)
  if (publicOnly && !openToAll) return all(0)
  const user = world.people[who]
  if (!user) throw new Error("no such person")
  if (user.admin || (!repository.ofOrganization && repository.owner === who)) return all(4)

  const belongs = (team: World["teams"][number]) => team.members.includes(who)
  const isMember = (at: number) =>
    (world.organizations[at]?.members.includes(who) ?? false) || world.teams.some((team) => team.organization === at && belongs(team))
  const offered =
    repository.offer !== null &&
    (repository.offer.organization
      ? world.teams.some((team) => team.organization === repository.offer?.to && belongs(team) && team.creates)
      : repository.offer.to === who)
  const collaboration = repository.collaborators.find(([other]) => other === who)?.[1] ?? 0
  const sees =
    ownerVisibility === "public" ||
    (ownerVisibility === "limited" && !user.restricted) ||
    (repository.ofOrganization && isMember(repository.owner))
  const least = offered ? 1 : 0
  if (!sees && collaboration === 0) return all(least)
  const free = !repository.private && sees && (!user.restricted || ownerVisibility === "public") ? 1 : 0
  const plain = Math.max(collaboration, free)
  const teams = repository.ofOrganization
    ? world.teams.filter((team) => team.organization === repository.owner && belongs(team) && team.repositories.includes(index))
    : []
  if (teams.some((team) => team.mode >= 3)) return all(4)
  const unit = (name: Unit) => Math.max(plain, ...teams.map((team) => team.units.find(([given]) => given === name)?.[1] ?? 0))
  if (plain === 0 && UNITS.every((name) => unit(name) === 0)) return all(least)
  return { mode: plain, unit }
}

/** Whether a unit may be read by the rules; with "", whether the repository may be known of. */
function reads(world: World, who: number | undefined, publicOnly: boolean, index: number, unit: Unit | ""): boolean {
  const rules = slowly(world, who, publicOnly, index)
  return rules.mode > 0 || (unit === "" ? UNITS.some((each) => rules.unit(each) > 0) : rules.unit(unit) > 0)
}

describe.each(databaseKinds)("who may know of a repository (%s)", (kind) => {
  let fresh: FreshDatabase
  beforeAll(async () => {
    fresh = await freshDatabase(kind)
  })
  afterAll(() => fresh.drop())

  it("is decided alike by rows, by SQL and by the rules", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const built = await fresh.database.write(async (tx) => {
          await tx.deleteFrom("users").execute()
          return build(tx, world)
        })
        const db = fresh.database.read
        const callers: (readonly [Actor, number | undefined, boolean])[] = [
          [anonymous, undefined, false],
          ...built.people.flatMap((user, index): (readonly [Actor, number, boolean])[] => [
            [signedIn(user, false), index, false],
            [signedIn(user, true), index, true],
          ]),
        ]
        for (const [actor, who, publicOnly] of callers) {
          const permissions = await permissionsOn(db, actor, built.repositories)
          const rows = await db.selectFrom("repositories").select("id").where(visibleRepositories(actor)).execute()
          const listed = new Set(rows.map(({ id }) => id))
          for (const [index, { repository }] of built.repositories.entries()) {
            const rules = slowly(world, who, publicOnly, index)
            const permission: Permission = permissions.get(repository.id) ?? { mode: 0, units: new Map() }
            const reached = rules.mode > 0 || UNITS.some((unit) => rules.unit(unit) > 0)
            expect(reaches(permission)).toBe(reached)
            expect(listed.has(repository.id)).toBe(reached)
            expect(permission.mode).toBe(rules.mode)
            for (const unit of ["repo.code", "repo.issues", "repo.actions"] as const)
              expect(unitMode(permission, repository, unit)).toBe(Math.max(rules.mode, rules.unit(unit)))
          }
          for (const unit of ["repo.code", "repo.issues", ""] as const) {
            const readable = await db
              .selectFrom("repositories")
              .select("id")
              .where(readableRepositories(actor, sql.lit(unit)))
              .execute()
            const expected = built.repositories.filter((_, index) => reads(world, who, publicOnly, index, unit))
            expect(new Set(readable.map(({ id }) => id))).toEqual(new Set(expected.map(({ repository }) => repository.id)))
          }
        }
        // The offer of a transfer lets somebody look, but nobody is told of what happens because of it.
        const withoutOffers = { ...world, repositories: world.repositories.map((repository) => ({ ...repository, offer: null })) }
        for (const [index, { repository }] of built.repositories.entries())
          for (const unit of ["repo.code", "repo.issues", ""] as const) {
            const readers = await db
              .selectFrom("users")
              .innerJoin("repositories", (join) => join.on("repositories.id", "=", repository.id))
              .innerJoin("users as owner", "owner.id", "repositories.owner_id")
              .select("users.id")
              .where("users.kind", "=", "person")
              .where(mayRead(sql.lit(unit)))
              .execute()
            const expected = built.people.filter((_, who) => reads(withoutOffers, who, false, index, unit))
            expect(new Set(readers.map(({ id }) => id))).toEqual(new Set(expected.map(({ id }) => id)))
          }
      }),
      { numRuns: kind === "sqlite" ? 150 : 40 },
    )
  })
})

const signedIn = (user: User, publicOnly: boolean): Actor => ({
  kind: "user",
  user,
  credential: publicOnly ? { kind: "token", tokenId: 1, scopes: new Set(["all", "public-only"]), publicOnly } : { kind: "password" },
  basic: false,
})

async function build(
  tx: Transaction,
  world: World,
): Promise<{ readonly people: readonly User[]; readonly repositories: readonly Owned[] }> {
  const insertUser = (
    name: string,
    values: { readonly kind: User["kind"]; readonly visibility: Visibility; readonly admin?: boolean; readonly restricted?: boolean },
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
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  const people: User[] = []
  for (const [index, values] of world.people.entries()) people.push(await insertUser(`person${index}`, { kind: "person", ...values }))
  const organizations: User[] = []
  for (const [index, { visibility: shown }] of world.organizations.entries())
    organizations.push(await insertUser(`org${index}`, { kind: "organization", visibility: shown }))
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
  for (const [index, team] of world.teams.entries()) {
    const organization_id = organizationAt(team.organization)
    const { id } = await tx
      .insertInto("teams")
      .values({
        organization_id,
        name: `team${index}`,
        lower_name: `team${index}`,
        description: "",
        mode: team.mode,
        includes_all_repositories: 0,
        can_create_repositories: flag(team.creates),
        visibility: "private",
        created_at: 0,
      })
      .returning("id")
      .executeTakeFirstOrThrow()
    for (const [unit, mode] of team.units) await tx.insertInto("team_units").values({ team_id: id, unit, mode }).execute()
    for (const who of team.members) {
      await join(team.organization, who)
      await tx
        .insertInto("team_members")
        .values({ team_id: id, user_id: personAt(who), organization_id })
        .execute()
    }
    // A team holds repositories of its own organisation only.
    for (const at of team.repositories) {
      const owned = repositories[at]
      if (owned?.owner.id === organization_id)
        await tx.insertInto("team_repositories").values({ team_id: id, repository_id: owned.repository.id, organization_id }).execute()
    }
  }
  return { people, repositories }
}
