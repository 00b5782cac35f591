import { createReadStream } from "node:fs"
import { readdir } from "node:fs/promises"
import { connect, isIP } from "node:net"
import { join } from "node:path"
import { closeQuarantine, isConnected, openQuarantine, type Quarantined, takePack } from "../incoming/quarantine.ts"
import { GitError, isGitError } from "../model/errors.ts"
import type { Reference, Repository } from "../model/model.ts"
import { branchOf, isObjectId, isRefName, type ObjectFormat, type ObjectId, type RefName } from "../model/names.ts"
import { byteSource } from "../process/bytes.ts"
import type { Context } from "../process/context.ts"
import { directorySize } from "../process/files.ts"
import type { Configuration, RunOptions } from "../process/process.ts"
import { listReferences } from "../refs/ref-files.ts"

/** A repository of another server. */
export interface Remote {
  /** Its http or https address, without credentials. */
  readonly url: string
  /** The IP address to connect to; the name is not resolved again. */
  readonly address: { readonly address: string; readonly family: 4 | 6 }
  /** The value of the Authorization header, or undefined for none. */
  readonly authorization: string | undefined
}

/** The references of another server's repository. */
export interface RemoteListing {
  /** The branch that its HEAD names, if it is advertised. */
  readonly head: RefName | undefined
  readonly references: readonly Reference[]
  /** Its object format; undefined for an empty repository. */
  readonly format: ObjectFormat | undefined
}

/** How to fetch objects. */
export interface FetchOptions {
  readonly ids: readonly ObjectId[]
  readonly signal?: AbortSignal | undefined
  /** The most bytes to fetch; by default as many as a push may send. */
  readonly maxBytes?: number
  /** How often the received size is checked, in milliseconds. */
  readonly watchMs?: number
}

/** Bytes a second. A server that is making a pack sends no more than five in five seconds to show that it is still there. */
const SLOWEST = "1"
/** The factor by which a server may be silent for longer while it makes or receives a pack than when it lists its references. */
const AT_WORK = 4

/**
 * Git connects to the one address, follows no redirects, uses no protocol but the URL's own, and gives up on a server that is silent for this
 * many seconds.
 */
function settingsFor({ url, address, authorization }: Remote, silence: number): Configuration {
  const { protocol, hostname, port, username, password } = new URL(url)
  if ((protocol !== "http:" && protocol !== "https:") || username !== "" || password !== "" || hostname.endsWith("."))
    throw new GitError("invalid", "not the address of a remote without credentials")
  const machine = address.family === 6 ? `[${address.address}]` : address.address
  const pin = `${hostname}:${port || (protocol === "https:" ? "443" : "80")}:${machine}`
  const isName = isIP(hostname.replace(/^\[|\]$/g, "")) === 0
  return [
    [`protocol.${protocol.slice(0, -1)}.allow`, "always"],
    ["http.followRedirects", "false"],
    ...(isName ? [["http.curloptResolve", pin] as const] : []),
    ["http.lowSpeedLimit", SLOWEST],
    ["http.lowSpeedTime", String(silence)],
    ["http.proxy", ""],
    ["credential.helper", ""],
    // Objects are checked when the pack is accepted; this many are a pack in any case.
    ["fetch.unpackLimit", "1"],
    ...(authorization === undefined ? [] : [["http.extraHeader", `Authorization: ${authorization}`] as const]),
  ]
}

/** Git's error message about another server, for users: without URLs, which may contain credentials. */
export function describeRemoteError(stderr: string): string {
  if (/could not read (Username|Password)|Authentication failed|returned error: 401/.test(stderr))
    return "the server asks for credentials, or refuses the given ones"
  const status = /returned error: (\d{3})/.exec(stderr)?.[1]
  if (/^3/.test(status ?? "") || /redirect/i.test(stderr)) return "the server leads to another address; give that one"
  if (status === "403") return "the server forbids it"
  if (status === "404" || /not found|not valid: is this a git repository/.test(stderr)) return "there is no such repository on the server"
  if (status !== undefined) return `the server answered ${status}`
  if (/Failed to connect|Connection refused|Could not connect|Connection reset|Empty reply/.test(stderr))
    return "the server can't be reached"
  if (/Operation too slow|timed out/i.test(stderr)) return "the server was too slow"
  if (/certificate|SSL|TLS/i.test(stderr)) return "the server's certificate is not accepted"
  const rejected = /^ ?!\s.*?\[(.*?)\] *(\S+).*$/m.exec(stderr)
  if (rejected) return `the server refused ${rejected[2]?.slice(0, 200)}: ${rejected[1]?.slice(0, 100)}`
  return "the transfer failed"
}

/**
 * Makes sure that a remote's address accepts connections before git is started: git itself waits for minutes. Throws `remote` if it doesn't within this
 * many milliseconds, `aborted`.
 */
async function dial({ url, address }: Pick<Remote, "url" | "address">, withinMs: number, signal?: AbortSignal): Promise<void> {
  const { protocol, port } = new URL(url)
  const socket = connect({ host: address.address, port: Number(port || (protocol === "https:" ? 443 : 80)), family: address.family })
  const abort = () => socket.destroy(new GitError("aborted", "given up while a connection was made"))
  if (signal?.aborted) abort()
  signal?.addEventListener("abort", abort)
  const timer = setTimeout(() => socket.destroy(new Error("no connection in time")), withinMs)
  try {
    await new Promise<void>((resolve, reject) => socket.on("connect", resolve).on("error", reject))
  } catch (error) {
    if (error instanceof GitError) throw error
    throw new GitError("remote", "the server can't be reached", error instanceof Error ? error.message : "")
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", abort)
    socket.destroy()
  }
}

async function runRemotely(
  context: Context,
  remote: Remote,
  command: Parameters<Context["processes"]["run"]>[0],
  options: RunOptions,
): Promise<Buffer> {
  const { remoteConnectMs, remoteSilenceSeconds } = context.limits
  const config = settingsFor(remote, command.name === "ls-remote" ? remoteSilenceSeconds : AT_WORK * remoteSilenceSeconds)
  await dial(remote, remoteConnectMs, options.signal)
  try {
    return (await context.processes.run(command, { ...options, config, limiter: context.longWork })).stdout
  } catch (error) {
    if (!isGitError(error)) throw error
    if (error.kind === "tooLarge") throw new GitError("remote", "the server has more branches and tags than are taken")
    if (error.kind !== "failed") throw error
    throw new GitError("remote", describeRemoteError(error.detail), error.detail)
  }
}

/** The references of another server's repository. Throws `remote`, `timeout`, `aborted`. */
export async function listRemote(context: Context, remote: Remote, signal?: AbortSignal): Promise<RemoteListing> {
  const output = await runRemotely(context, remote, { name: "ls-remote", flags: ["--symref"], args: [remote.url] }, { signal })
  const references: Reference[] = []
  let head: RefName | undefined
  for (const line of output.toString("utf8").split("\n")) {
    const [value = "", name = ""] = line.split("\t")
    if (name === "HEAD") {
      const target = /^ref: (.+)$/.exec(value)?.[1]
      if (target !== undefined && isRefName(target) && branchOf(target) !== undefined) head = target
    } else if (isObjectId(value) && isRefName(name)) references.push({ name, id: value })
  }
  const [first] = references
  return { head, references, format: first && (first.id.length === 64 ? "sha256" : "sha1") }
}

/**
 * Fetches objects with all that they need. Git fetches into a temporary repository first; the objects are then received in the same way as a push, so
 * that they are checked alike however the other server sends them. Returns the bytes that the store grew by. Throws `remote`, `failed`, `busy`,
 * `timeout`, `aborted`, and leaves nothing then.
 */
export async function fetchObjects(context: Context, repository: Repository, remote: Remote, options: FetchOptions): Promise<number> {
  const { ids, signal, maxBytes = context.limits.pushBytes } = options
  if (ids.some((id) => !isObjectId(id, repository.format)))
    throw new GitError("remote", "the server names its objects otherwise than the repository does")
  if (ids.length === 0) return 0
  const release = await context.pushes.acquire(repository.key, { signal })
  try {
    const seen = await context.store().receiving(repository)
    const courier = await openQuarantine(seen)
    const taken = await openQuarantine(seen)
    try {
      await download(context, courier, remote, { ...options, maxBytes })
      await takeAll(context, courier, taken, { maxBytes, signal })
      if (!(await isConnected(context, taken, ids, signal)))
        throw new GitError("remote", "the server did not send all objects; it may be a plain file server, which is not supported")
      const grown = await directorySize(taken.quarantine)
      await context.store().migrate(taken)
      return grown
    } finally {
      await closeQuarantine(context, courier)
      await closeQuarantine(context, taken)
    }
  } finally {
    release()
  }
}

const FETCH = [
  "--quiet",
  "--stdin",
  "--no-tags",
  "--no-write-fetch-head",
  "--no-auto-maintenance",
  "--no-recurse-submodules",
  "--no-show-forced-updates",
] as const

async function download(
  context: Context,
  courier: Quarantined,
  remote: Remote,
  { ids, signal, maxBytes, watchMs = 2_000 }: FetchOptions & { readonly maxBytes: number },
): Promise<void> {
  // Git itself has no size limit for fetches.
  const full = new AbortController()
  const watch = setInterval(() => {
    directorySize(courier.quarantine).then(
      (size) => size > maxBytes && full.abort(),
      () => undefined,
    )
  }, watchMs)
  try {
    await runRemotely(
      context,
      remote,
      { name: "fetch", flags: FETCH, args: [remote.url] },
      {
        repository: courier,
        input: [...new Set(ids)].map((id) => `${id}\n`).join(""),
        timeoutMs: context.limits.transferMs,
        signal: signal ? AbortSignal.any([signal, full.signal]) : full.signal,
      },
    )
  } catch (error) {
    throw full.signal.aborted ? tooMuch() : error
  } finally {
    clearInterval(watch)
  }
  if ((await directorySize(courier.quarantine)) > maxBytes) throw tooMuch()
}

const tooMuch = () => new GitError("remote", "the server sends more than is taken")

async function takeAll(
  context: Context,
  courier: Quarantined,
  taken: Quarantined,
  options: { readonly maxBytes: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const folder = join(courier.quarantine, "pack")
  for (const name of (await readdir(folder)).filter((each) => each.endsWith(".pack"))) {
    const pack = createReadStream(join(folder, name))
    const source = byteSource(pack)
    try {
      const { refused } = await takePack(context, taken, pack, source, options)
      if (refused !== null) throw new GitError("remote", `what the server sent is not accepted: ${refused}`)
    } finally {
      source.release()
      pack.destroy()
    }
  }
}

/**
 * Pushes branches and tags to another server's repository, and removes its others there. A repository without a branch is not pushed, because nothing
 * would be left there. Throws `remote`, `timeout`, `aborted`.
 */
export async function pushMirror(context: Context, repository: Repository, remote: Remote, signal?: AbortSignal): Promise<void> {
  if ((await listReferences(repository, "refs/heads/")).length === 0) return
  const all = ["refs/heads/*", "refs/tags/*"].map((pattern) => `+${pattern}:${pattern}`)
  await runRemotely(
    context,
    remote,
    { name: "push", flags: ["--quiet", "--prune", "--no-verify", "--no-signed", "--recurse-submodules=no"], args: [remote.url, ...all] },
    { repository, timeoutMs: context.limits.transferMs, signal },
  )
}
