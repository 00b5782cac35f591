import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import { locateRepositoryById, type OnRepository } from "../../../access/policies/repositories.ts"
import { findUserById } from "../../../access/store.ts"
import type { SignedIn } from "../../../core/actor.ts"
import { Refusal } from "../../../core/errors.ts"
import { extensionPoint } from "../../../core/extensions.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { movableBy, notMovable } from "../../../core/task-token.ts"
import { beginWork, TooMuchWork, type Work } from "../../../core/work.ts"
import {
  branchOf,
  isBranchName,
  isMisleadingName,
  isServedRef,
  isTagName,
  type Push,
  type RefCommand,
  type RefName,
  type Repository,
  type TakenOffers,
  tagOf,
  type Verdict,
} from "../../../git/index.ts"
import { findGrant, findPublicKey } from "../../people/keys/store.ts"
import { stillBearerOfIssued } from "../../people/sign-in/credentials/issued-tokens.ts"
import { bearerNow } from "../../people/sign-in/credentials/token-credential.ts"
import { type Admitted, ARCHIVED, codeMode, MIRROR, NO_WRITE } from "./admission.ts"
import { maintainedBranches } from "./maintainer-edits.ts"
import { isOffer, offerTakers, whyNoOffers } from "./offers.ts"
import { optionsRefused } from "./options.ts"

/** A change to one reference, with the pusher's permission. */
export interface ReferenceChange {
  readonly on: OnRepository
  readonly command: RefCommand
  /** Branches that the pusher may edit as a maintainer of a pull request's base, without other rights in the repository. */
  readonly maintained?: ReadonlySet<string>
  /** Set if a release is published with the new tag. */
  readonly ofRelease?: boolean
}

/** Returns why a change is refused, as a message for the pusher, or undefined. */
export type RefRule = (change: ReferenceChange) => Text | undefined

/** The rules in the order of evaluation; the first refusal counts. */
export const refRules: readonly RefRule[] = [
  ({ on }) => (on.repository.is_archived === 1 ? ARCHIVED : undefined),
  ({ on }) => (on.repository.is_mirror === 1 ? MIRROR : undefined),
  (change) => (codeMode(change.on) < Mode.write && !isMaintained(change) && !isOfRelease(change) ? NO_WRITE : undefined),
  ({ command }) => namelessRef(command),
  ({ on, command }) =>
    command.kind === "delete" && branchOf(command.ref) === on.repository.default_branch
      ? t`branch ${on.repository.default_branch} is the default branch and cannot be deleted`
      : undefined,
]

/** Maintainers of a pull request's base may update its head branch, but neither delete it nor create others. */
const isMaintained = ({ command: { ref, kind }, maintained }: ReferenceChange): boolean =>
  kind === "update" && maintained?.has(branchOf(ref) ?? "") === true

/** Write access to releases allows creating the tags that they need, and nothing else. */
const isOfRelease = ({ on, command: { ref, kind }, ofRelease = false }: ReferenceChange): boolean =>
  ofRelease && kind === "create" && tagOf(ref) !== undefined && unitMode(on.permission, on.repository, "repo.releases") >= Mode.write

/** Names that git accepts but that would be ambiguous: HEAD, options, or references reserved for this service. */
export function namelessRef({ ref, kind }: RefCommand): Text | undefined {
  if (isServedRef(ref) || isOffer(ref)) return t`${ref} is not written by pushing`
  const branch = branchOf(ref)
  if (branch !== undefined && !isBranchName(branch)) return t`${branch} can't be the name of a branch`
  const tag = tagOf(ref)
  if (tag !== undefined && !isTagName(tag)) return t`${tag} can't be the name of a tag`
  const short = branch ?? tag
  // Those that are there from before can be deleted.
  if (short !== undefined && kind !== "delete" && isMisleadingName(short))
    return t`${short} can't be the name of a branch or tag: git takes it for another reference`
  return undefined
}

/** Changes that are checked together, with what the rules need. */
export interface CheckContext extends Omit<ReferenceChange, "command"> {
  readonly services: Services
  readonly pusher: SignedIn
  /** The repository with all new objects visible. */
  readonly repository: Repository
  /** Set if the change merges a pull request, whose own rules have been checked: the id in `pulls`. */
  readonly mergedPull: number | undefined
}

/** The same while they are being checked. */
export interface Checking extends CheckContext {
  /** Those that passed `refRules`. */
  readonly commands: readonly RefCommand[]
  /** Counts what the rules compare with names and files, for all of these changes together. */
  readonly work: Work
}

/** Returns why a change is refused, as a message for the pusher, or undefined. */
export type PreparedRule = (command: RefCommand) => Promise<Text | undefined>

/**
 * Prepares a rule for changes, and may read the database for them once; the prepared rule is then asked about each, and may read git. Both may throw `TooMuchWork`. Undefined
 * where it has nothing to say of these.
 */
export type ReferenceRule = (checking: Checking) => Promise<PreparedRule | undefined>

/** The rules for changes that passed `refRules`, in order; registered in src/extensions.ts. */
export const referenceRules = extensionPoint<ReferenceRule>("rules for references")

/** Checks changes against all rules: returns the refused references with the reason for each. Throws `TooMuchWork`. */
export async function checkReferences(context: CheckContext, commands: readonly RefCommand[]): Promise<ReadonlyMap<RefName, Text>> {
  const { on, pusher, services, ofRelease = false } = context
  const maintained = codeMode(on) < Mode.write ? await maintainedBranches(services.database.read, pusher, on) : new Set<string>()
  const refused = new Map<RefName, Text>(checkCommands(on, commands, { maintained, ofRelease }))
  const isMovable = movableBy(pusher)
  for (const { ref } of isMovable ? commands : []) if (!refused.has(ref) && !isMovable?.(ref)) refused.set(ref, notMovable(ref))
  const left = commands.filter(({ ref }) => !refused.has(ref))
  const work = beginWork({ what: t("compare the rules of this repository with what is pushed"), steps: services.config.limits.workSteps })
  for (const rule of referenceRules.of(services)) {
    const prepared = await rule({ ...context, commands: left, work })
    for (const command of prepared ? left : []) {
      await work.step()
      const reason = refused.has(command.ref) ? undefined : await prepared?.(command)
      if (reason !== undefined) refused.set(command.ref, reason)
    }
  }
  return refused
}

/** The references that `refRules` refuse, with the reason for each. */
export function checkCommands(
  on: OnRepository,
  commands: readonly RefCommand[],
  circumstances: Pick<ReferenceChange, "maintained" | "ofRelease"> = {},
): ReadonlyMap<RefName, Text> {
  const refused = new Map<RefName, Text>()
  for (const command of commands) {
    const reason = refRules.map((rule) => rule({ on, command, ...circumstances })).find((words) => words !== undefined)
    if (reason !== undefined) refused.set(command.ref, reason)
  }
  return refused
}

/**
 * Checks a push whose objects have arrived. The upload may have taken an hour, so the pusher's permissions are read again, in case they were
 * revoked meanwhile.
 */
export async function checkPush(services: Services, pusher: SignedIn, repositoryId: number, push: Push): Promise<Verdict> {
  const on = await repositoryNow(services, pusher, repositoryId)
  if (!on) return { refused: refuseAll(push, NO_WRITE) }
  const unwanted = optionsRefused(on, push.options)
  if (unwanted !== undefined) return { refused: refuseAll(push, unwanted) }
  if (push.commands.every(({ ref }) => isOffer(ref))) return { refused: await judgeOffers(services, { ...on, pusher }, push) }
  try {
    const refused = await checkReferences({ services, pusher, on, repository: push.repository, mergedPull: undefined }, push.commands)
    return { refused: new Map([...refused].map(([ref, reason]) => [ref, String(reason)])) }
  } catch (error) {
    if (error instanceof TooMuchWork) return { refused: refuseAll(push, error.message) }
    throw error
  }
}

/** Refuses, by what the pusher could do when they were admitted, what need not be received at all: few who are not trusted with a branch are to fill the disk. */
export async function refusedBeforehand(
  services: Services,
  found: Admitted,
  push: Pick<Push, "commands" | "options">,
): Promise<ReadonlyMap<RefName, string>> {
  if (push.commands.some(({ ref }) => isOffer(ref))) return judgeOffers(services, found, push)
  if (codeMode(found) >= Mode.write) return new Map()
  const maintained = await maintainedBranches(services.database.read, found.pusher, found)
  return new Map([...checkCommands(found, push.commands, { maintained })].map(([ref, reason]) => [ref, String(reason)]))
}

async function judgeOffers(
  services: Services,
  on: Admitted,
  { commands, options }: Pick<Push, "commands" | "options">,
): Promise<ReadonlyMap<RefName, string>> {
  const reason = on.repository.is_archived === 1 ? ARCHIVED : whyNoOffers(on)
  if (reason !== undefined) return refuseAll({ commands }, reason)
  const [taker] = offerTakers.of(services)
  return taker ? taker.judge({ services, on, commands, options }) : new Map()
}

/** Hands offers that were checked to what takes them. */
export async function takeOffers(
  services: Services,
  pusher: SignedIn,
  repositoryId: number,
  push: Pick<Push, "commands" | "options" | "atomic">,
): Promise<TakenOffers> {
  const on = await repositoryNow(services, pusher, repositoryId)
  const [taker] = offerTakers.of(services)
  if (!on || !taker) return { refused: refuseAll(push, NO_WRITE), written: new Map(), lines: [] }
  return taker.take({ ...push, services, on: { ...on, pusher } })
}

export const refuseAll = ({ commands }: Pick<Push, "commands">, reason: string): ReadonlyMap<RefName, string> =>
  new Map(commands.map(({ ref }) => [ref, reason]))

/** The repository as the pusher may see it now; undefined if they may not any more. */
export async function repositoryNow(services: Services, pusher: SignedIn, repositoryId: number): Promise<OnRepository | undefined> {
  const actor = await pusherNow(services, pusher)
  if (!actor) return undefined
  try {
    return await locateRepositoryById(services.database.read, actor, repositoryId)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** The pusher's current state; undefined if the account, the key or the token is gone, disabled or for reading only. */
async function pusherNow(services: Services, pusher: SignedIn): Promise<SignedIn | undefined> {
  const { credential } = pusher
  const db = services.database.read
  if (credential.kind === "job") return stillBearerOfIssued(services, credential)
  if (credential.kind === "token") return bearerNow(services, pusher, credential)
  const user = await findUserById.first(db, { id: pusher.user.id })
  if (!user || user.is_active === 0 || user.prohibit_login === 1) return undefined
  if (credential.kind === "publicKey") {
    const key = await findPublicKey.first(db, { id: credential.keyId })
    return key?.owner_id === user.id && key.is_read_only === 0 ? { ...pusher, user } : undefined
  }
  if (credential.kind === "deployKey") {
    const grant = await findGrant.first(db, credential)
    return grant && { ...pusher, user, credential: { ...credential, isReadOnly: grant.is_read_only === 1 } }
  }
  return { ...pusher, user }
}
