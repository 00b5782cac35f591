import { type About, joined, type Step, stepsOnAccount, stepsOnRepository, stepsOnTeam } from "../../access/explain/steps.ts"
import { Mode, type Unit } from "../../access/modes.ts"
import { roleIn } from "../../access/policies/organization-role.ts"
import { findKnown, locateUser, userVisible } from "../../access/policies/people.ts"
import { locateRepository, locateRepositoryById, type OnRepository } from "../../access/policies/repositories.ts"
import { scopeAllows } from "../../access/scopes.ts"
import { findTeam, findUserById } from "../../access/store.ts"
import type { Team } from "../../access/visibility.ts"
import { ADMISSION_WORDS, NEED_WORDS } from "../../access/words.ts"
import { type Actor, isSiteAdministrator, signedInAs, type User } from "../../core/actor.ts"
import { Refusal, Renamed, refuse } from "../../core/errors.ts"
import type { File } from "../../core/file.ts"
import { type Text, t } from "../../core/language/message.ts"
import { type AccessRule, type Method, type Operation, pathNumber } from "../../core/operation.ts"
import type { Page } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"
import { codeMode } from "../../features/code/pushes/admission.ts"
import { partAt } from "../../features/code/wiki/part.ts"
import { requireUsable } from "../../features/people/sign-in/authenticate.ts"
import type { Asked, Explain, Explained, Question } from "../../features/site/explain/explainer.ts"
import { API_BASE } from "../api/steps.ts"
import { hiddenFrom } from "../git-http/answer.ts"
import { ADMISSION, admitToFile, admitToPage } from "../routing/admission.ts"
import { plainUrl, refusalOfNul } from "../routing/redirect.ts"
import { pathOf, type RouteTable, routeTable } from "../routing/routes.ts"

/**
 * Explains requests. Whether one is allowed, and its status, are found by judging it as the pipeline does: the same conditions of admission, and the `open` of the
 * record itself, which only reads. The steps beside it come from the rules as data. What the reader may not know of ends with the same step as what is missing.
 */

/** All that is declared, loaded when somebody asks. */
export interface Declarations {
  readonly operations: readonly Operation[]
  readonly pages: readonly Page[]
  readonly files: readonly File[]
}

// --- what is asked for -----------------------------------------------------------------------------------------------------------

type Path = Readonly<Record<string, string>>

/** A record that answers at an address. */
interface Target {
  readonly kind: "operation" | "page" | "file" | "git"
  readonly rule: AccessRule
  readonly path: Path
  /** What it is answered when it succeeds. */
  readonly status: number
  /** The scopes that a token needs to be told of it for somebody else. */
  readonly operation?: Operation
  /** Refuses who may not ask for it whatever it is about. */
  readonly admit: (actor: Actor) => void
  /** Gives what else there is to say where the caller may go on. */
  readonly open: (actor: Actor) => Promise<Text | undefined>
  /** Pages tell people less than the API tells programs. */
  readonly statusOf: (refusal: Refusal) => number
}

interface Known {
  readonly table: RouteTable
  readonly operations: ReadonlyMap<string, Operation>
  readonly pages: ReadonlyMap<string, Page>
  readonly files: ReadonlyMap<string, File>
}

const byId = <R extends { readonly id: string }>(records: readonly R[]): ReadonlyMap<string, R> =>
  new Map(records.map((record) => [record.id, record]))

function tableOf({ operations, pages, files }: Declarations): Known {
  const never = (): never => {
    throw new TypeError("only asked for")
  }
  const route = (method: Method, path: string, operation: string) =>
    ({ method, path, operation, body: "collected", handle: never, fail: never }) as const
  return {
    table: routeTable([
      ...operations.map(({ method, path, id }) => route(method, API_BASE + path, id)),
      ...pages.map(({ method, address, id }) => route(method, address, id)),
      ...files.map(({ method, address, id }) => route(method, address, id)),
    ]),
    operations: byId(operations),
    pages: byId(pages),
    files: byId(files),
  }
}

const ONLY_OFFERS = t("commits may be offered for pull requests, and no more than branches of these be pushed")

const GIT = /^\/([^/]+)\/([^/]+?)(?:\.git\/?|(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack))$/

function gitTarget({ services }: Asked, url: string): Target | undefined {
  const [path = "", query = ""] = url.split("?", 2)
  const [, owner, name, service] = GIT.exec(path) ?? []
  if (owner === undefined || name === undefined) return undefined
  const isPush = service === "git-receive-pack" || new URLSearchParams(query).get("service") === "git-receive-pack"
  const { part, address } = partAt({ owner: decoded(owner), name: decoded(name) })
  const admit = isPush ? part.admitPush : part.admitFetch
  return {
    kind: "git",
    rule: { subject: "repository", needs: isPush ? "code:write" : "code:read", signIn: isPush ? "required" : "optional" },
    path: { owner: address.owner, repo: address.name },
    status: 200,
    admit: () => {},
    open: async (actor) => {
      const found = await admit(services, actor, address.owner, address.name).catch((error: unknown) => {
        throw hiddenFrom(actor, error)
      })
      return isPush && codeMode(found) < Mode.write ? ONLY_OFFERS : undefined
    },
    statusOf: ({ status }) => status,
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const successOf = ({ answers }: Operation): number => Math.min(...Object.keys(answers).map(Number))

/** As people see it: who is not signed in is led to sign in, and what one may not see is missing. */
const pageStatus =
  (method: Method) =>
  (refusal: Refusal): number =>
    refusal.kind === "unauthenticated" ? 303 : refusal.kind === "forbidden" && method === "GET" ? 404 : refusal.status

const opened = async (judged: Promise<unknown>): Promise<undefined> => {
  await judged
}

/** What answers at an address, or the status of what does not. */
function targetOf(known: Known, asked: Asked, { method, path: given }: Question): Target | 404 | 405 {
  const { services, db } = asked
  const plain = plainUrl(given)
  if (refusalOfNul(plain)) return 404
  const git = plain.startsWith("/api/") ? undefined : gitTarget(asked, plain)
  if (git) return git
  // As in batches, the API's base may be left out where nothing else answers.
  const places = [plain, API_BASE + plain]
  const [found] = places.flatMap((url) => {
    const at = known.table.find(method, url)
    return at ? [{ ...at, url }] : []
  })
  if (!found) return places.some((place) => known.table.methodsAt(place).length > 0) ? 405 : 404
  const { operation: id, path: declared } = found.route
  const path = pathOf(declared, { params: found.parameters, url: found.url })
  const operation = known.operations.get(id)
  if (operation)
    return {
      kind: "operation",
      rule: operation.rule,
      path,
      operation,
      status: successOf(operation),
      admit: () => {},
      open: (actor) => opened(operation.open({ services, db, actor, path })),
      statusOf: ({ status }) => status,
    }
  const page = known.pages.get(id)
  const repo = path["repo"]?.replace(/\.git$/, "")
  const names = repo === undefined ? path : { ...path, repo }
  if (page)
    return {
      kind: "page",
      rule: page.rule,
      path: names,
      status: method === "GET" ? 200 : 303,
      admit: (actor) => admitToPage(services, page, actor),
      open: (actor) => opened(page.open({ services, db, actor, path: names })),
      statusOf: pageStatus(method),
    }
  const file = known.files.get(id)
  if (!file) return 404
  return {
    kind: "file",
    rule: file.rule,
    path,
    status: 200,
    admit: (actor) => admitToFile(services, file, actor),
    open: (actor) => opened(file.open({ services, db, actor, path })),
    statusOf: pageStatus(method),
  }
}

// --- what it is about ------------------------------------------------------------------------------------------------------------

interface Subject {
  readonly repository?: OnRepository
  /** A person, or an organisation. */
  readonly account?: User
  readonly team?: Team
}

const orNothing = async <Found>(find: () => Promise<Found>): Promise<Found | undefined> => {
  try {
    return await find()
  } catch (error) {
    if (error instanceof Refusal || error instanceof Renamed) return undefined
    throw error
  }
}

/** The subject, if this caller may know of it. */
async function subjectOf({ db, actor }: Asked, { rule, path }: Target): Promise<Subject | undefined> {
  switch (rule.subject) {
    case "site":
      return {}
    case "repository": {
      const [owner, repo] = [path["owner"] ?? path["template_owner"], path["repo"] ?? path["template_repo"]]
      const repository = await orNothing(() =>
        owner !== undefined && repo !== undefined
          ? locateRepository(db, actor, owner, repo)
          : locateRepositoryById(db, actor, pathNumber(path["id"])),
      )
      return repository && { repository }
    }
    case "team": {
      const team = path["id"] === undefined ? undefined : await findTeam.first(db, { id: pathNumber(path["id"]) })
      const account = team && (await findUserById.first(db, { id: team.organization_id }))
      return team && account && (await userVisible(db, actor, account)) ? { team, account } : undefined
    }
    case "organization":
    case "user": {
      const name = path["org"] ?? path["owner"] ?? path["username"]
      // Pages below /user and the like name nobody.
      if (name === undefined) return {}
      const account = await orNothing(() => locateUser(db, actor, name, "name"))
      return account && (await userVisible(db, actor, account)) ? { account } : undefined
    }
  }
}

/** In whose name the caller administers the subject; undefined where they don't. */
async function administeredBy({ db, actor }: Asked, { repository, account }: Subject): Promise<User | undefined> {
  if (repository) return repository.permission.mode >= Mode.admin ? repository.owner : undefined
  if (account?.kind !== "organization") return undefined
  return (await roleIn(db, actor, account)).isOwner ? account : undefined
}

/** Paths that name another person: the answer may depend on what the two have to do with each other. */
const namesPerson = ({ rule, path }: Target): boolean =>
  rule.subject === "user" || path["user"] !== undefined || path["username"] !== undefined

function holdsScopes(actor: Actor, needed: readonly string[]): boolean {
  if (actor.kind === "anonymous" || actor.credential.kind !== "token") return true
  const { scopes } = actor.credential
  return needed.every((scope) => scopeAllows(scopes, scope))
}

const NOT_OF_OTHERS = t("only administrators may ask what others may do")

/** The person whom the question is about, if the caller may ask. */
async function personAskedFor(asked: Asked, target: Target | undefined, name: string): Promise<User> {
  const { db, actor } = asked
  const isOfSite = isSiteAdministrator(actor) && holdsScopes(actor, ["read:admin"])
  const subject = target && !isOfSite ? await subjectOf(asked, target) : undefined
  const administered = subject && (await administeredBy(asked, subject))
  const scopes = target?.operation?.scope.map((category) => `read:${category}`) ?? ["all"]
  if (!isOfSite && (!administered || !target || namesPerson(target) || !holdsScopes(actor, scopes))) throw refuse.forbidden(NOT_OF_OTHERS)
  const person = await findKnown(db, actor, name, administered)
  if (person?.kind !== "person") throw refuse.invalid("as", t`there is no user ${name}`)
  return person
}

// --- judging ---------------------------------------------------------------------------------------------------------------------

type Outcome =
  | { readonly kind: "allowed"; readonly remark: Text | undefined }
  | { readonly kind: "moved"; readonly status: number }
  | { readonly kind: "refused"; readonly refusal: Refusal }

async function outcomeOf(judge: () => Promise<Text | undefined>): Promise<Outcome> {
  try {
    return { kind: "allowed", remark: await judge() }
  } catch (error) {
    if (error instanceof Renamed) return { kind: "moved", status: error.status }
    if (error instanceof Refusal) return { kind: "refused", refusal: error }
    throw error
  }
}

const isMissing = (outcome: Outcome): boolean => outcome.kind === "refused" && outcome.refusal.kind === "notFound"

const refused = (status: number, ...steps: readonly Step[]): Explained => ({ allowed: false, status, steps })
const MISSING: Step = { rule: "found", holds: false, because: t("nothing is there, or not for everyone to know") }
const NO_METHOD: Step = { rule: "method", holds: false, because: t("this method is not allowed here") }

/** The units that the rule is about; an archived or switched-off one is told of by the refusal. */
const unitsOf = ({ rule }: Target): readonly Unit[] => NEED_WORDS[rule.needs].units

async function subjectSteps({ db }: Asked, about: About, target: Target, { repository, account, team }: Subject): Promise<readonly Step[]> {
  if (repository) return stepsOnRepository(db, about, repository, unitsOf(target))
  if (!account) return []
  const ofTeam = team ? await stepsOnTeam(db, about, team, account) : []
  return [...(await stepsOnAccount(db, about, account)), ...ofTeam]
}

/** Whether the account may be used; what only administrators of the site ask about others. */
async function usable(services: Services, actor: Actor): Promise<Refusal | undefined> {
  // Who is prohibited has a wrong password, whatever they send.
  if (actor.kind === "user" && actor.credential.kind === "password" && actor.user.prohibit_login === 1) return refuse.badCredentials()
  const outcome = await outcomeOf(() => opened(requireUsable(services, actor)))
  return outcome.kind === "refused" ? outcome.refusal : undefined
}

/** Opens the explanations of all that is declared. */
export function openExplain(declarations: Declarations): Explain {
  const table = tableOf(declarations)
  return async (asked, question) => {
    const { services, db, actor: asking } = asked
    const found = targetOf(table, asked, question)
    const target = typeof found === "number" ? undefined : found
    const isSelf = question.as === undefined || (asking.kind === "user" && asking.user.lower_name === question.as.toLowerCase())
    const person = isSelf ? undefined : await personAskedFor(asked, target, question.as ?? "")
    if (found === 405) return refused(405, NO_METHOD)
    if (target === undefined) return refused(404, MISSING)

    const actor: Actor = person ? { ...signedInAs(person), basic: true } : asking
    const isOfSite = isSiteAdministrator(asking)
    const who: Text = actor.kind === "user" ? actor.user.name : t("who has not signed in")
    const about: About = { actor, who, isToldAll: isSelf || isOfSite }

    // A token is told of pages, which are not for tokens, only if it may do all.
    if (isSelf && target.kind !== "operation" && target.kind !== "git" && !holdsScopes(asking, ["all"]))
      return refused(403, { rule: "token.scope", holds: false, because: t("pages are explained to tokens that may do everything") })

    const admitted: Step[] = []
    const unusable = isSelf || isOfSite ? await usable(services, actor) : undefined
    if (unusable) return refused(unusable.status, { rule: "account.usable", holds: false, because: unusable.said })
    for (const { rule, applies, refuses } of target.operation ? ADMISSION : []) {
      if (!target.operation || !applies(services, target.operation, actor)) continue
      const refusal = refuses(services, target.operation, actor)
      if (refusal) return refused(refusal.status, ...admitted, { rule, holds: false, because: refusal.said })
      admitted.push({ rule, holds: true, because: ADMISSION_WORDS[rule] })
    }
    const first = await outcomeOf(async () => {
      target.admit(actor)
      return undefined
    })
    if (first.kind === "refused") return refused(target.statusOf(first.refusal), ...admitted, needStep(target, first))

    // Others are explained only what the one who asks may know.
    const isHidden = async () => isMissing(await outcomeOf(() => target.open(asking)))
    if (person && !isOfSite && (await isHidden())) return refused(404, MISSING)
    const outcome = await outcomeOf(() => target.open(actor))
    const subject = await subjectOf(asked, target)
    if (outcome.kind === "moved")
      return refused(outcome.status, ...admitted, { rule: "found", holds: false, because: t("it has another name now") })
    if (subject === undefined && isMissing(outcome)) return refused(404, ...admitted, MISSING)
    // A team that may not be seen is as missing as one that is not there.
    if (subject?.team && isSelf && isMissing(outcome)) return refused(404, ...admitted, MISSING)
    const steps = [
      ...admitted,
      ...(subject ? await subjectSteps({ services, db, actor }, about, target, subject) : []),
      needStep(target, outcome),
    ]
    return outcome.kind === "allowed"
      ? { allowed: true, status: target.status, steps }
      : refused(target.statusOf(outcome.refusal), ...steps)
  }
}

const RULES: Readonly<Partial<Record<Refusal["kind"], string>>> = {
  unauthenticated: "signIn",
  badCredentials: "signIn",
  notFound: "found",
  archived: "archived",
}

/** The last step: what the declared rule needs, and what the policy said. */
function needStep({ rule }: Target, outcome: Outcome): Step {
  const needed = t("this needs: {what}", { what: NEED_WORDS[rule.needs].words })
  if (outcome.kind !== "refused")
    return {
      rule: `${rule.subject}.${rule.needs}`,
      holds: true,
      because: joined([needed, (outcome.kind === "allowed" && outcome.remark) || ""]),
    }
  const { kind, said } = outcome.refusal
  const name = RULES[kind] ?? `${rule.subject}.${rule.needs}`
  return { rule: name, holds: false, because: joined([needed, kind === "notFound" ? MISSING.because : said]) }
}
