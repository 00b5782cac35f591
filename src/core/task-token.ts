import { type Actor, type Task, type TokenCredential, taskOf } from "./actor.ts"
import { refuse } from "./errors.ts"
import { extensionPoint } from "./extensions.ts"
import { key, t } from "./language/message.ts"
import type { Services } from "./services.ts"
import { compileGlob } from "./text/globs.ts"
import type { Asked } from "./toolsets.ts"

/*
 * What a token for one task may do. It is a token that is limited to some repositories, and besides to operations, to references that it may move, and to a
 * number of changes. What it changes is listed, and marked with its name.
 */

/** The same texts wherever they are refused, so that a program can tell. */
export const NOT_ITS_OPERATION = key("this token was made for other operations")
export const NO_WRITES_LEFT = key("this token has made all the changes that it may make")

/** What git does, by names that a list of operations can have as well. */
export type GitOperation = "git.fetch" | "git.push"

/** What a token may ask of itself, whatever it was made for. */
const OF_ITSELF: readonly string[] = ["getCurrentToken", "deleteCurrentToken"]

/** Who administers something could give themself more than the token has: such changes must be named, none is in a toolset. */
const ADMINISTERS = /administrator$|^owner$|^privileged$/i

/** Refuses `forbidden` where the caller's token was made for other operations. */
export async function requireTaskOperation(actor: Actor, asked: Asked): Promise<void> {
  const task = taskOf(actor)
  if (!task || OF_ITSELF.includes(asked.id) || task.operations.includes(asked.id)) return
  const changes = asked.method !== "GET"
  if (changes && ADMINISTERS.test(asked.needs)) throw refuse.forbidden(NOT_ITS_OPERATION)
  if (task.operations.length === 0) return
  const { isInToolset } = await import("./toolsets.ts")
  if (!task.operations.some((name) => isInToolset(name, asked))) throw refuse.forbidden(NOT_ITS_OPERATION)
}

/** The same for git, large files, and files by their addresses. */
export async function requireTaskGit(actor: Actor, operation: GitOperation): Promise<void> {
  await requireTaskOperation(actor, { id: operation, method: operation === "git.fetch" ? "GET" : "POST", path: "", needs: "" })
}

/** Refuses `forbidden` a token that was made for some operations, where something is asked that none of them is, such as a registry of packages. */
export function requireNoTask(actor: Actor): void {
  if (taskOf(actor)) throw refuse.forbidden(NOT_ITS_OPERATION)
}

/** Which references the caller's token may move; undefined where it may move any. A pattern that doesn't begin with `refs/` is one of branches. */
export function movableBy(actor: Actor): ((ref: string) => boolean) | undefined {
  const branches = taskOf(actor)?.branches ?? []
  if (branches.length === 0) return undefined
  const matchers = branches.map((pattern) =>
    compileGlob(pattern.startsWith("refs/") ? pattern : `refs/heads/${pattern}`, { separator: "/" }),
  )
  return (ref) => matchers.some((matches) => matches?.(ref) === true)
}

export const notMovable = (ref: string) => t`this token may not change ${ref}`

/** Refuses `forbidden` where the caller's token may not move one of the references. */
export async function requireMovable(actor: Actor, ...refs: readonly string[]): Promise<void> {
  const isMovable = movableBy(actor)
  const other = isMovable && refs.find((ref) => !isMovable(ref))
  if (other !== undefined) throw refuse.forbidden(notMovable(other))
}

/** A change that is made with a token for one task. */
export interface Deed {
  /** The id of the operation, or what git does. */
  readonly operation: string
  /** Below /api/v1, or the path of the repository. */
  readonly path: string
  readonly repositoryId: number | undefined
  readonly ownerId: number | undefined
}

/** How it ended. */
export interface Done {
  readonly status: number
  /** The path with what is known only then. */
  readonly path?: string
}

/** Counts and lists what tokens for one task do. */
export interface DeedKeeper {
  /**
   * Does it, unless the token has no changes left: refuses `forbidden`, and `badCredentials` where the token was revoked. One that is refused isn't counted.
   */
  readonly keep: <Answer extends Done>(services: Services, by: ByTask, deed: Deed, run: () => Promise<Answer> | Answer) => Promise<Answer>
}

export interface ByTask {
  readonly userId: number
  readonly credential: TokenCredential
  readonly task: Task
}

export const deedKeepers = extensionPoint<DeedKeeper>("deeds of tokens")

/** Makes a change, which counts and is listed where it is made with a token for one task. */
export async function doneBy<Answer extends Done>(
  services: Services,
  actor: Actor,
  deed: () => Deed,
  run: () => Promise<Answer> | Answer,
): Promise<Answer> {
  if (actor.kind !== "user" || actor.credential.kind !== "token") return run()
  const { credential, user } = actor
  const [keeper] = deedKeepers.of(services)
  if (!credential.task || !keeper) return run()
  return keeper.keep(services, { userId: user.id, credential, task: credential.task }, deed(), run)
}

/** The ids of all operations, with which lists of them are checked. */
export const operationIds = extensionPoint<() => readonly string[]>("ids of operations")
