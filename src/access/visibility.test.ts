import fc from "fast-check"
import { type RawBuilder, type SqlBool, sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { databaseKinds, type FreshDatabase, freshDatabase } from "../../tests/support/database.ts"
import { type Actor, anonymous, type SignedIn, type TokenCredential, type User } from "../core/actor.ts"
import type { Transaction } from "../core/database/database.ts"
import { countVisible } from "./count-store.ts"
import { UNITS, type Unit } from "./modes.ts"
import {
  type Permission,
  packageRights,
  permissionOn,
  permissionsOf,
  permissionsOn,
  projectsMode,
  reaches,
  readersAmong,
  unitMode,
} from "./permission.ts"
import { roleIn } from "./policies/organization-role.ts"

import { type Built, build, type Switch, type World, worlds } from "./testing.ts"
import {
  offeredAsAssignees,
  organizationVisible,
  readableByUsers,
  readableProjects,
  readableRepositories,
  teamVisible,
  visibleOrganizations,
  visiblePackages,
  visibleRepositories,
  visibleTeams,
} from "./visibility.ts"

/**
 * Access is decided for given rows, in the queries of callers, and in queries over many people. All three are derived from one description,
 * and compared here with another implementation that applies the rules one by one, slowly, to a world described as plain data.
 */

/**
 * The caller: a person by their index, as themselves, with a token for public things, or with one that is limited to what was chosen; the holder of a deploy
 * key; or anonymous.
 */
type Caller =
  | { readonly as: "stranger" }
  | { readonly as: "limitedToken"; readonly who: number; readonly publicOnly: boolean }
  | { readonly as: "person" | "publicToken"; readonly who: number }
  | { readonly as: "key"; readonly of: number; readonly readOnly: boolean }

interface Rights {
  readonly mode: number
  /** The mode in a unit, if it is enabled. */
  readonly unit: (unit: Unit) => number
}

/** Members of a team are members of its organization. */
const belongsTo = (world: World, who: number, at: number): boolean =>
  world.organizations[at]?.members.includes(who) === true ||
  world.teams.some((team) => team.organization === at && team.members.includes(who))

/** What limited tokens are limited to. */
const CHOSEN = { repositories: [1, 3], organization: 0 }

/** A world in which a limited token can do in what was chosen what its owner can. */
const asOwner = (world: World): World => ({
  ...world,
  people: world.people.map((person) => ({ ...person, admin: false })),
  repositories: world.repositories.map((repository) => ({ ...repository, offer: null })),
})

/** Whether what was granted to a person in an organization waits until they have a second factor. */
const isWithheld = (world: World, who: number, at: number): boolean =>
  world.organizations[at]?.requires === true && world.people[who]?.hasFactor === false && !world.people[who]?.admin

/** Whether a caller may see an organization, rule by rule. */
function knowsOf(world: World, caller: Exclude<Caller, { as: "key" }>, at: number): boolean {
  const shown = world.organizations[at]?.visibility
  if (caller.as === "limitedToken" && at === CHOSEN.organization && !caller.publicOnly)
    return knowsOf(asOwner(world), { as: "person", who: caller.who }, at)
  if (shown === "public" || caller.as !== "person") return shown === "public"
  const person = world.people[caller.who]
  return person?.admin === true || belongsTo(world, caller.who, at) || (shown === "limited" && person?.restricted === false)
}

type Account = { readonly person: number } | { readonly organization: number }

/** What a caller may do in the projects or packages of an account itself, rule by rule: a person's, or an organization's. */
function inAccount(world: World, caller: Exclude<Caller, { as: "key" }>, owner: Account, unit: "repo.projects" | "repo.packages"): number {
  const shown = ("person" in owner ? world.people[owner.person] : world.organizations[owner.organization])?.visibility
  const open = shown === "public" ? 1 : 0
  if (caller.as === "stranger" || (caller.as === "publicToken" && open === 0)) return open
  const { who } = caller
  if (caller.as === "limitedToken") {
    const isChosen = "organization" in owner && owner.organization === CHOSEN.organization
    return isChosen && !(caller.publicOnly && open === 0) ? inAccount(asOwner(world), { as: "person", who }, owner, unit) : open
  }
  if (world.people[who]?.admin || ("person" in owner && owner.person === who)) return 4
  if ("person" in owner) return shown === "limited" && !world.people[who]?.restricted ? 1 : open
  const modes = world.teams
    .filter((team) => team.organization === owner.organization && team.members.includes(who) && !isWithheld(world, who, owner.organization))
    .map((team) => (team.mode >= 3 ? 4 : (team.units.find(([given]) => given === unit)?.[1] ?? 0)))
  const knows =
    isWithheld(world, who, owner.organization) && caller.as === "person"
      ? shown === "public" || (shown === "limited" && !world.people[who]?.restricted)
      : knowsOf(world, caller, owner.organization)
  const known = unit === "repo.packages" && knows ? 1 : 0
  return Math.max(open, known, ...modes)
}

/** Whether a caller may see a team, rule by rule. */
function knowsOfTeam(world: World, caller: Exclude<Caller, { as: "key" | "stranger" }>, at: number): boolean {
  const team = world.teams[at]
  if (!team) throw new Error("no such team")
  const { who } = caller
  if (caller.as === "limitedToken") {
    if (team.organization !== CHOSEN.organization) return team.visibility === "public" && knowsOf(world, caller, team.organization)
    return knowsOfTeam(asOwner(world), { as: caller.publicOnly ? "publicToken" : "person", who }, at)
  }
  if (isWithheld(world, who, team.organization)) return team.visibility === "public" && knowsOf(world, caller, team.organization)
  const owns = world.teams.some(
    ({ organization, mode, members }) => organization === team.organization && mode === 4 && members.includes(who),
  )
  if (world.people[who]?.admin || owns || team.members.includes(who)) return true
  if (team.visibility === "limited") return belongsTo(world, who, team.organization)
  return team.visibility === "public" && knowsOf(world, caller, team.organization)
}

/** Whether a person is offered as an assignee in a repository, rule by rule. */
function isOffered(world: World, who: number, index: number): boolean {
  const repository = world.repositories[index]
  if (repository?.collaborators.some(([other, mode]) => other === who && mode >= 2)) return true
  return world.teams.some(
    (team) =>
      repository?.ofOrganization === true &&
      team.organization === repository.owner &&
      team.repositories.includes(index) &&
      team.members.includes(who) &&
      (team.mode >= 3 || team.units.some(([unit, mode]) => ["repo.issues", "repo.pulls"].includes(unit) && mode > 0)),
  )
}

/** What a caller may do on a repository of the world, rule by rule. */
function slowly(world: World, caller: Caller, index: number): Rights {
  const all = (mode: number): Rights => ({ mode, unit: () => mode })
  const repository = world.repositories[index]
  if (!repository) throw new Error("no such repository")
  if (caller.as === "key") {
    const mode = caller.of !== index ? 0 : caller.readOnly ? 1 : 2
    return { mode: 0, unit: (unit) => (unit === "repo.code" || unit === "repo.wiki" ? mode : 0) }
  }
  const organization = repository.ofOrganization ? world.organizations[repository.owner] : undefined
  const ownerVisibility = organization?.visibility ?? world.people[repository.owner]?.visibility
  const openToAll = !repository.private && ownerVisibility === "public"
  if (caller.as === "stranger") return all(openToAll ? 1 : 0)
  if (caller.as === "publicToken" && !openToAll) return all(0)
  if (caller.as === "limitedToken") {
    const isChosen = CHOSEN.repositories.includes(index) || (repository.ofOrganization && repository.owner === CHOSEN.organization)
    return isChosen && !(caller.publicOnly && !openToAll)
      ? slowly(asOwner(world), { as: "person", who: caller.who }, index)
      : all(openToAll ? 1 : 0)
  }
  const { who } = caller
  const user = world.people[who]
  if (!user) throw new Error("no such person")
  if (user.admin || (!repository.ofOrganization && repository.owner === who)) return all(4)

  const waits = repository.ofOrganization && isWithheld(world, who, repository.owner)
  const belongs = (team: World["teams"][number]) => team.members.includes(who)
  const offered =
    repository.offer !== null &&
    (repository.offer.organization
      ? world.teams.some((team) => team.organization === repository.offer?.to && belongs(team) && team.creates)
      : repository.offer.to === who)
  const collaboration = repository.collaborators.find(([other]) => other === who && !waits)?.[1] ?? 0
  const sees =
    ownerVisibility === "public" ||
    (ownerVisibility === "limited" && !user.restricted) ||
    (repository.ofOrganization && belongsTo(world, who, repository.owner) && !waits)
  const least = offered ? 1 : 0
  const free = !repository.private && sees && (!user.restricted || ownerVisibility === "public") ? 1 : 0
  const plain = Math.max(collaboration, free)
  const teams =
    repository.ofOrganization && !waits
      ? world.teams.filter((team) => team.organization === repository.owner && belongs(team) && team.repositories.includes(index))
      : []
  if (teams.some((team) => team.mode >= 3)) return all(4)
  const unit = (name: Unit) => Math.max(plain, ...teams.map((team) => team.units.find(([given]) => given === name)?.[1] ?? 0))
  if (plain === 0 && UNITS.every((name) => unit(name) === 0)) return all(least)
  return { mode: plain, unit }
}

/** Whether a unit is enabled, implemented independently. */
function isOn({ off, externalIssues, externalWiki }: World["repositories"][number], unit: Unit): boolean {
  const on = (name: Switch): boolean => !off.includes(name)
  switch (unit) {
    case "repo.code":
      return on("has_code")
    case "repo.issues":
      return on("has_issues") && !externalIssues
    case "repo.ext_issues":
      return on("has_issues") && externalIssues
    case "repo.wiki":
      return on("has_wiki") && !externalWiki
    case "repo.ext_wiki":
      return on("has_wiki") && externalWiki
    case "repo.pulls":
      return on("has_pull_requests")
    case "repo.releases":
      return on("has_releases")
    case "repo.projects":
      return on("has_projects")
    case "repo.packages":
      return on("has_packages")
    case "repo.actions":
      return on("has_actions")
  }
}

/** What a caller may do in a unit: none if it is disabled, and at most read if it is external. */
function inUnit(world: World, caller: Caller, index: number, unit: Unit): number {
  const repository = world.repositories[index]
  if (!repository || !isOn(repository, unit)) return 0
  const { mode, unit: given } = slowly(world, caller, index)
  const most = Math.max(mode, given(unit))
  return unit.startsWith("repo.ext_") ? Math.min(most, 1) : most
}

const reachesSlowly = (world: World, caller: Caller, index: number): boolean => {
  const { mode, unit } = slowly(world, caller, index)
  return mode > 0 || UNITS.some((each) => unit(each) > 0)
}

/** Whether a unit may be read by the rules; with "", whether the repository may be seen. */
const reads = (world: World, caller: Caller, index: number, unit: Unit | ""): boolean =>
  unit === "" ? reachesSlowly(world, caller, index) : inUnit(world, caller, index, unit) > 0

type Asking = readonly [unit: Unit | "", asked: Unit | RawBuilder<string>]

/** A query asks for a unit by name, or by an expression that may differ from row to row. Every other caller asks in one way, the rest in the other. */
const ASKINGS: readonly (readonly Asking[])[] = [
  UNITS.map((unit) => [unit, unit]),
  [...UNITS, "" as const].map((unit) => [unit, sql.lit<string>(unit)]),
]

/** A column for each unit, with 1 where it may be read: one statement instead of ten. */
const eachAsked = (asked: readonly Asking[], readable: (asked: Unit | RawBuilder<string>) => RawBuilder<SqlBool>) =>
  asked.map(([, each], column) => sql<number>`case when ${readable(each)} then 1 else 0 end`.as(`asked_${column}`))

const idsWhere = (rows: readonly ({ readonly id: number } & Readonly<Record<string, number>>)[], column: number): ReadonlySet<number> =>
  new Set(rows.filter((row) => row[`asked_${column}`] === 1).map(({ id }) => id))

describe.each(databaseKinds)("who may know of a repository (%s)", (kind) => {
  let fresh: FreshDatabase
  beforeAll(async () => {
    fresh = await freshDatabase(kind)
  })
  afterAll(() => fresh.drop())

  it("is decided alike by rows, by SQL and by the rules", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.nat(1), async (world, first) => {
        const askingsOf = (index: number) => ASKINGS[(first + index) % 2] ?? []
        const built = await fresh.database.write(async (tx) => {
          await tx.deleteFrom("users").execute()
          const made = await build(tx, world)
          return { ...made, token: await limit(tx, made) }
        })
        const db = fresh.database.read
        for (const [at, [actor, caller]] of callersOf(built).entries()) {
          const permissions = await permissionsOn(db, actor, built.repositories)
          const rows = await db.selectFrom("repositories").select("id").where(visibleRepositories(actor)).execute()
          const listed = new Set(rows.map(({ id }) => id))
          expect(await countVisible(db, actor)).toBe(listed.size)
          for (const [index, owned] of built.repositories.entries()) {
            const { repository } = owned
            const permission: Permission = permissions.get(repository.id) ?? { mode: 0, units: new Map() }
            expect(reaches(permission)).toBe(reachesSlowly(world, caller, index))
            expect(listed.has(repository.id)).toBe(reaches(permission))
            expect(permission.mode).toBe(slowly(world, caller, index).mode)
            for (const unit of UNITS) expect(unitMode(permission, repository, unit)).toBe(inUnit(world, caller, index, unit))
            if (index === 0) expect(await permissionOn(db, actor, owned)).toEqual(permission)
          }
          const asked = askingsOf(at)
          const readable = await db
            .selectFrom("repositories")
            .select("id")
            .select(eachAsked(asked, (unit) => readableRepositories(actor, unit)))
            .execute()
          for (const [column, [unit]] of asked.entries()) {
            const expected = built.repositories.filter((_, index) => reads(world, caller, index, unit))
            expect(idsWhere(readable, column)).toEqual(new Set(expected.map(({ repository }) => repository.id)))
          }
        }
        for (const [actor, caller] of callersOf(built)) {
          if (caller.as === "key") continue
          const rows = await db
            .selectFrom("users")
            .select("id")
            .where("kind", "=", "organization")
            .where(visibleOrganizations(actor))
            .execute()
          const expected = built.organizations.filter((_, at) => knowsOf(world, caller, at))
          expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(expected.map(({ id }) => id)))
          for (const [at, organization] of built.organizations.entries()) {
            const isMember = caller.as !== "stranger" && belongsTo(world, caller.who, at)
            expect(organizationVisible(actor, organization, isMember)).toBe(expected.includes(organization))
          }
        }
        for (const [actor, caller] of callersOf(built)) {
          if (caller.as === "key") continue
          const owners = [
            ...built.people.map((user, at) => [user, { person: at }] as const),
            ...built.organizations.map((user, at) => [user, { organization: at }] as const),
          ]
          const projects = await db.selectFrom("projects").select("id").where(readableProjects(actor)).execute()
          const projectsOf = new Map<User, number>()
          for (const [owner, account] of owners) {
            const mode = inAccount(world, caller, account, "repo.projects")
            projectsOf.set(owner, mode)
            expect(await projectsMode(db, actor, owner)).toBe(mode)
            const isMember = "organization" in account && caller.as !== "stranger" && belongsTo(world, caller.who, account.organization)
            const rights = await packageRights(db, actor, owner)
            const packagesMode = inAccount(world, caller, account, "repo.packages")
            const isWhole =
              caller.as === "person" ||
              (caller.as === "limitedToken" && !caller.publicOnly && owner === built.organizations[CHOSEN.organization])
            const belongs = isMember && !isWithheld(caller.as === "limitedToken" ? asOwner(world) : world, caller.who, account.organization)
            const isInsider = isWhole && (packagesMode === 4 || (packagesMode > 0 && belongs))
            expect(rights).toEqual({ mode: packagesMode, isInsider })
            const packages = await db
              .selectFrom("packages")
              .select("id")
              .where("owner_id", "=", owner.id)
              .where(visiblePackages(actor, rights))
              .execute()
            const shown = built.packages.filter(({ owner: of, repository, isRestricted }) => {
              if (of !== owner || (rights.mode === 4 && isInsider)) return of === owner
              if (isRestricted && !isInsider) return false
              return (
                repository === null ||
                world.repositories[repository]?.private === false ||
                reads(world, caller, repository, "repo.packages")
              )
            })
            expect(new Set(packages.map(({ id }) => id))).toEqual(new Set(shown.map(({ id }) => id)))
          }
          const readable = built.projects.filter(({ owner, repository }) =>
            repository === null ? (projectsOf.get(owner) ?? 0) > 0 : reads(world, caller, repository, "repo.projects"),
          )
          expect(new Set(projects.map(({ id }) => id))).toEqual(new Set(readable.map(({ id }) => id)))
          if (caller.as === "stranger" || actor.kind === "anonymous") continue
          const teams = await db.selectFrom("teams").select("id").where(visibleTeams(actor)).execute()
          const seen = built.teams.filter((_, at) => knowsOfTeam(world, caller, at))
          expect(new Set(teams.map(({ id }) => id))).toEqual(new Set(seen.map(({ id }) => id)))
          for (const [at, team] of built.teams.entries()) {
            const plan = world.teams[at]
            const organization = plan && built.organizations[plan.organization]
            if (!organization) throw new Error("no such organization")
            const role = await roleIn(db, actor, organization)
            expect(teamVisible(actor, team, organization, role, plan.members.includes(caller.who))).toBe(seen.includes(team))
          }
        }
        for (const [index, { repository }] of built.repositories.entries()) {
          const people = db.selectFrom("users").select("id").where("kind", "=", "person")
          const rows = await people.where(offeredAsAssignees(repository.id)).execute()
          const expected = built.people.filter((_, who) => isOffered(world, who, index))
          expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(expected.map(({ id }) => id)))
        }
        // The offer of a transfer lets a person read, but they get no notifications.
        const withoutOffers = { ...world, repositories: world.repositories.map((repository) => ({ ...repository, offer: null })) }
        for (const [index, owned] of built.repositories.entries()) {
          const { repository } = owned
          const permissions = await permissionsOf(db, owned, built.people)
          for (const [who, { id }] of built.people.entries())
            expect(permissions.get(id)?.mode).toBe(slowly(withoutOffers, { as: "person", who }, index).mode)
          const asked = askingsOf(index)
          const rows = await db
            .selectFrom("users")
            .innerJoin("repositories", (join) => join.on("repositories.id", "=", repository.id))
            .innerJoin("users as owner", "owner.id", "repositories.owner_id")
            .select("users.id")
            .select(eachAsked(asked, readableByUsers))
            .where("users.kind", "=", "person")
            .execute()
          for (const [column, [unit]] of asked.entries()) {
            const expected = built.people.filter((_, who) => reads(withoutOffers, { as: "person", who }, index, unit))
            expect(idsWhere(rows, column)).toEqual(new Set(expected.map(({ id }) => id)))
            if (unit === UNITS[index]) expect(await readersAmong(db, owned, unit, built.people)).toEqual(expected)
          }
        }
      }),
      { numRuns: kind === "sqlite" ? 100 : 20 },
    )
  })
})

/** A token that is limited to what was chosen. */
async function limit(tx: Transaction, { people, repositories, organizations }: Built): Promise<TokenCredential> {
  const { id } = await tx
    .insertInto("access_tokens")
    .values({
      user_id: people[0]?.id ?? 0,
      name: "t",
      digest: "d",
      last_eight: "",
      scopes: "all",
      created_at: 0,
      last_used_at: 0,
      is_limited: 1,
    })
    .returning("id")
    .executeTakeFirstOrThrow()
  const repositoryIds = CHOSEN.repositories.flatMap((index) => repositories[index]?.repository.id ?? [])
  const ownerIds = [organizations[CHOSEN.organization]?.id ?? 0]
  await tx
    .insertInto("access_token_repositories")
    .values(repositoryIds.map((repository_id) => ({ token_id: id, repository_id })))
    .execute()
  await tx
    .insertInto("access_token_owners")
    .values(ownerIds.map((owner_id) => ({ token_id: id, owner_id })))
    .execute()
  return { kind: "token", tokenId: id, scopes: new Set(["all"]), publicOnly: false, chosen: { repositoryIds, ownerIds } }
}

/** Every kind of caller; the deploy keys are those of the first repository, used by its owner. */
function callersOf(built: Built & { readonly token: TokenCredential }): readonly (readonly [Actor, Caller])[] {
  const [first] = built.repositories
  if (!first) throw new Error("there is a repository")
  const keys = [true, false].map((isReadOnly) => {
    const credential = { kind: "deployKey", keyId: 1, repositoryId: first.repository.id, isReadOnly } as const
    return [
      { ...signedIn(first.owner, false), credential },
      { as: "key", of: 0, readOnly: isReadOnly },
    ] as const
  })
  return [
    [anonymous, { as: "stranger" }],
    ...built.people.flatMap((user, who): readonly (readonly [Actor, Caller])[] => [
      [signedIn(user, false), { as: "person", who }],
      [signedIn(user, true), { as: "publicToken", who }],
    ]),
    // They differ from these by what was chosen alone, and two of them are enough.
    ...built.people.slice(0, 2).map((user, who): readonly [Actor, Caller] => {
      const publicOnly = who === 1
      return [
        { ...signedIn(user, false), credential: { ...built.token, publicOnly } },
        { as: "limitedToken", who, publicOnly },
      ]
    }),
    ...keys,
  ]
}

const signedIn = (user: User, publicOnly: boolean): SignedIn => ({
  kind: "user",
  user,
  credential: publicOnly ? { kind: "token", tokenId: 1, scopes: new Set(["all", "public-only"]), publicOnly } : { kind: "password" },
  basic: false,
})
