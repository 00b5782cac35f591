import { spawn } from "node:child_process"
import { Socket } from "node:net"
import { dirname } from "node:path"
import type { Readable, Writable } from "node:stream"
import { GitError } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import type { Caller, Limiter } from "./limits.ts"

/**
 * The commands that may be run, all of them without a work tree. Where git supports `--end-of-options` it comes before the
 * arguments, so that none can be taken for an option. Light ones hold a few hundred bytes for each commit or entry: they run without
 * the shell that limits the address space of the others, which would make them take half as long again.
 */
const subcommands = {
  // Takes the commit for a path behind `--end-of-options`.
  blame: { endOfOptions: false },
  // These two take everything after the end of options for a path.
  archive: { endOfOptions: false },
  "ls-tree": { endOfOptions: false, light: true },
  "ls-remote": { endOfOptions: true },
  "cat-file": { endOfOptions: true },
  "commit-graph write": { endOfOptions: false },
  // Files that are compared are small: see `memory.compared`.
  "diff-tree": { endOfOptions: true, light: true },
  fetch: { endOfOptions: true },
  "format-patch": { endOfOptions: true },
  "for-each-ref": { endOfOptions: true, light: true },
  fsck: { endOfOptions: true },
  // Looks for fixed texts alone, of which each stands behind its own `-e`.
  grep: { endOfOptions: false },
  "index-pack": { endOfOptions: false },
  // With a list of files or counts of lines, never with a patch.
  log: { endOfOptions: true, light: true },
  "merge-base": { endOfOptions: true, light: true },
  "merge-tree": { endOfOptions: true },
  "pack-objects": { endOfOptions: false },
  "pack-refs": { endOfOptions: false, light: true },
  push: { endOfOptions: true },
  "range-diff": { endOfOptions: false },
  repack: { endOfOptions: false },
  "rev-list": { endOfOptions: true, light: true },
  "unpack-objects": { endOfOptions: false },
  "update-ref": { endOfOptions: true, light: true },
  "upload-pack": { endOfOptions: true },
  version: { endOfOptions: true, light: true },
} as const

/** The name of an allowed git command. */
export type Subcommand = keyof typeof subcommands

/** A git command line. Flags begin with a dash; arguments never do. */
export interface Command {
  readonly name: Subcommand
  readonly flags?: readonly string[]
  readonly args?: readonly string[]
  /** Paths in the repository, taken literally: nothing in them is a pattern or an option. */
  readonly paths?: readonly string[]
}

/** Settings of git; of two with the same name the later one is used. */
export type Configuration = readonly (readonly [name: string, value: string])[]

/** The options of a git process. */
export interface ProcessOptions {
  readonly repository?: Repository
  /** The client's `Git-Protocol`; passed on only when it is well formed. */
  readonly protocol?: string | undefined
  /** Settings for this process alone. They are passed in its environment, where other users of the machine can't see them. */
  readonly config?: Configuration
  /** Milliseconds after which the process is ended. */
  readonly timeoutMs?: number
  /** How long it may take to end when it is asked to, before it is killed. */
  readonly graceMs?: number
  /** Ends the process when it fires. */
  readonly signal?: AbortSignal | undefined
  /** The most bytes that git may allocate at once; by default `memory.allocation`. */
  readonly allocation?: number
  /** Receives what git writes to stderr, as it arrives. */
  readonly onStderr?: (chunk: Buffer) => void
}

/** How a process exited by itself. */
export interface Exit {
  readonly code: number
  /** What it wrote to stderr, cut to 16 KiB. */
  readonly stderr: string
}

/** A running git process. Its stdout must be read to the end, or the process killed, for `exit` to settle. */
export interface GitProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  /** Bytes of input that git has been handed. */
  readonly sent: () => number
  /** Resolves once the process is gone. Rejects with `timeout`, `aborted` (killed), or `failed` (not started, or ended by a signal). */
  readonly exit: Promise<Exit>
  /** Ends it with `timeout` after so many milliseconds from now. */
  limitTime(ms: number): void
  kill(): void
}

/** The options of a process that needs a permit. */
export interface OpenOptions extends ProcessOptions {
  /** By default the caller of the current work. */
  readonly caller?: Caller
}

/** Further options of a bounded run. */
export interface RunOptions extends OpenOptions {
  readonly input?: Uint8Array | string
  /** What limits how many of them run; by default they are commands that take seconds at most. */
  readonly limiter?: Limiter
  /** The exit codes that are no failure; by default only 0. */
  readonly accept?: readonly number[]
  /** The most output; more is refused as `tooLarge`. */
  readonly maxOutput?: number
}

/** The output of a bounded run. */
export interface RunResult extends Exit {
  readonly stdout: Buffer
}

/** Starts git; no other code does. */
export interface Processes {
  /** Starts a git process with streams, for a caller that has a permit. Throws nothing: a failure to start shows in `exit`. */
  stream(command: Command, options?: ProcessOptions): GitProcess
  /**
   * Starts a git process once the limiter has a permit for it, which it holds until it is gone. The process ends when `signal`, or else that of the current
   * caller, fires. Throws `busy`, `aborted`.
   */
  open(limiter: Limiter, command: Command, options: OpenOptions): Promise<GitProcess>
  /** Runs git to its end, as one of the limited number of commands. Throws `failed` for an exit code that isn't accepted, `tooLarge`, `timeout`, `aborted`, `busy`. */
  run(command: Command, options?: RunOptions): Promise<RunResult>
  spawned(): number
  running(): number
  close(): Promise<void>
}

/** The fixed settings of every process. */
export interface ProcessSettings {
  readonly program: string
  readonly agent: string
  readonly root: string
  readonly durable: boolean
  readonly windowBytes: number
  readonly threads: number
  readonly commandMs: number
  readonly outputBytes: number
  readonly memory: MemoryLimits
  /** Limits how many processes `run` runs at once. */
  readonly commands: Limiter
  /** Who the current work is for. */
  readonly caller: () => Caller
}

/** What one process may use, in bytes. */
export interface MemoryLimits {
  /** The whole address space, files that are mapped included. Linux and other systems whose shell knows `ulimit -v`. */
  readonly process: number
  /** One allocation: an object that is larger is refused before it is built. */
  readonly allocation: number
  /** The same for an object that a push sends, unless it is a large file sent whole, which git doesn't hold in memory. */
  readonly object: number
  /** Larger files are not compared line by line. */
  readonly compared: number
}

const stderrLimit = 16 * 1024
/** How long a process that is asked to end may take, in milliseconds, before it is killed. */
export const defaultGraceMs = 2_000

/** Whether a client's `Git-Protocol` header may be handed to git. */
export function isProtocol(value: string): boolean {
  return value.length <= 256 && /^[A-Za-z0-9]+=[A-Za-z0-9]+(:[A-Za-z0-9]+=[A-Za-z0-9]+)*$/.test(value)
}

/** The configuration of every process. Settings of the command take precedence over files, and only they may set safe.directory. */
function configuration(settings: ProcessSettings, durable: boolean): Configuration {
  return [
    ["core.hooksPath", "/dev/null"],
    ["core.attributesFile", "/dev/null"],
    ["core.fsmonitor", "false"],
    ["core.logAllRefUpdates", "false"],
    ["core.fsync", durable ? "objects,derived-metadata,reference" : "none"],
    // Files past this size are streamed and not deltified, so that no process holds one whole in memory.
    ["core.bigFileThreshold", "50m"],
    // Packs are mapped piece by piece, so that large ones fit into the address space.
    ["core.packedGitWindowSize", "32m"],
    ["core.packedGitLimit", "256m"],
    ["gc.auto", "0"],
    // An attributes file may request the state of a commit's signature in an archive; no program is started for that.
    ["gpg.program", "false"],
    ["gpg.ssh.program", "false"],
    ["gpg.x509.program", "false"],
    ["maintenance.auto", "false"],
    ["pack.threads", String(settings.threads)],
    ["pack.windowMemory", String(settings.windowBytes)],
    ["pack.writeReverseIndex", "true"],
    ["protocol.allow", "never"],
    ["safe.directory", "*"],
    ["transfer.hideRefs", "refs/hearth/"],
    ["uploadpack.allowAnySHA1InWant", "true"],
    ["uploadpack.allowFilter", "true"],
    // A sparse filter compares every path of the history with patterns that the client chooses, for minutes.
    ["uploadpackfilter.allow", "false"],
    ...FILTERS.map((filter) => [`uploadpackfilter.${filter}.allow`, "true"] as const),
  ]
}

/** The filters of partial clones that are served; others are refused, by their name. */
const FILTERS = ["blob:none", "blob:limit", "tree", "object:type", "combine"]

function environment(settings: ProcessSettings, pairs: Configuration): Readonly<Record<string, string>> {
  return {
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: "/nonexistent",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    // The folder of the repositories may itself be inside a checkout, whose settings must not apply.
    GIT_CEILING_DIRECTORIES: dirname(settings.root),
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
    // Any pusher may create refs/replace/*; the objects that are checked must be those that are stored.
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_USER_AGENT: settings.agent,
    GIT_ALLOC_LIMIT: String(settings.memory.allocation),
    GIT_CONFIG_COUNT: String(pairs.length),
    ...Object.fromEntries(
      pairs.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  }
}

function commandLine(command: Command, repository: Repository | undefined): string[] {
  const { name, flags = [], args = [], paths } = command
  if (flags.some((flag) => !flag.startsWith("-"))) throw new GitError("invalid", `a flag of git ${name} does not begin with a dash`)
  if (args.some((arg) => arg.startsWith("-"))) throw new GitError("invalid", `an argument of git ${name} begins with a dash`)
  const place = repository === undefined ? [] : [`--git-dir=${repository.directory}`]
  const end = args.length > 0 && subcommands[name].endOfOptions ? ["--end-of-options"] : []
  return [...place, ...name.split(" "), ...flags, ...end, ...args, ...(paths === undefined ? [] : ["--", ...paths])]
}

// Quoted, because a colon in the path would otherwise divide it.
const alternates = (folders: readonly string[]) => ({
  GIT_ALTERNATE_OBJECT_DIRECTORIES: folders.map((folder) => JSON.stringify(folder)).join(":"),
})

/**
 * New objects go to the quarantine and old ones are read from the repository; git refuses to change references in such an environment. What is
 * borrowed is read too.
 */
function objectEnvironment(repository: Repository | undefined): Readonly<Record<string, string>> {
  if (repository === undefined) return {}
  const { quarantine, directory, borrows = [] } = repository
  if (quarantine === undefined) return borrows.length === 0 ? {} : alternates(borrows)
  return { GIT_OBJECT_DIRECTORY: quarantine, ...alternates([`${directory}/objects`, ...borrows]), GIT_QUARANTINE_PATH: quarantine }
}

const isLight = (command: Command): boolean => "light" in subcommands[command.name]

const comparesFiles = ({ name }: Command): boolean => name === "diff-tree" || name === "format-patch" || name === "log"

/** What starts a program with a limited address space. Only a shell can set the limit for a child alone. */
function limitedBy({ memory }: ProcessSettings): readonly string[] {
  if (process.platform !== "linux" || memory.process === 0) return []
  return ["/bin/sh", "-c", 'ulimit -v "$0" && exec "$@"', String(Math.ceil(memory.process / 1024))]
}

/** Creates the starter of git processes. Of this process's environment only PATH is inherited. */
export function createProcesses(settings: ProcessSettings): Processes {
  // Objects are flushed to disk when they leave the quarantine, all files together; one after another, as git does it, takes far longer.
  const plain = { stored: configuration(settings, settings.durable), quarantined: configuration(settings, false) }
  const prepared = { stored: environment(settings, plain.stored), quarantined: environment(settings, plain.quarantined) }
  const comparing: Configuration = [["core.bigFileThreshold", String(settings.memory.compared)]]
  const prefix = limitedBy(settings)
  const children = new Set<GitProcess>()
  let spawned = 0
  let closed = false

  function stream(command: Command, options: ProcessOptions = {}): GitProcess {
    if (closed) throw new GitError("aborted", "git is closed")
    const { repository, protocol, timeoutMs, graceMs = defaultGraceMs, signal, onStderr, allocation } = options
    const place = repository?.quarantine === undefined ? "stored" : "quarantined"
    const config = [...(comparesFiles(command) ? comparing : []), ...(options.config ?? [])]
    const [program = settings.program, ...args] = [
      ...(isLight(command) ? [] : prefix),
      settings.program,
      ...commandLine(command, repository),
    ]
    const child = spawn(program, args, {
      cwd: settings.root,
      env: {
        ...(config.length === 0 ? prepared[place] : environment(settings, [...plain[place], ...config])),
        ...objectEnvironment(repository),
        ...(protocol !== undefined && isProtocol(protocol) ? { GIT_PROTOCOL: protocol } : {}),
        ...(allocation === undefined ? {} : { GIT_ALLOC_LIMIT: String(allocation) }),
        // Otherwise it writes each commit by itself, which takes both sides as long as finding it.
        ...(command.name === "rev-list" && { GIT_FLUSH: "0" }),
      },
      stdio: ["pipe", "pipe", "pipe"],
      // Its own process group, so that git's children (pack-objects) end with it.
      detached: true,
    })
    spawned += 1

    let reason: GitError | undefined
    let startError: Error | undefined
    let stderr = ""
    const timers: NodeJS.Timeout[] = []

    const killGroup = (how: NodeJS.Signals) => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      try {
        process.kill(-child.pid, how)
      } catch {
        // The group may be gone between the check and the call.
      }
    }
    const end = (why: GitError) => {
      reason ??= why
      killGroup("SIGTERM")
      child.stdout.destroy()
      child.stdin.destroy()
      timers.push(setTimeout(() => killGroup("SIGKILL"), graceMs))
    }
    const abort = () => end(new GitError("aborted", `git ${command.name} was given up`))

    const exit = new Promise<Exit>((resolve, reject) => {
      child.stderr.on("data", (chunk: Buffer) => {
        if (stderr.length < stderrLimit) stderr += chunk.toString("utf8").slice(0, stderrLimit - stderr.length)
        onStderr?.(chunk)
      })
      child.on("error", (error) => {
        startError = error
      })
      child.on("close", (code, killed) => {
        for (const timer of timers) clearTimeout(timer)
        signal?.removeEventListener("abort", abort)
        children.delete(handle)
        if (reason !== undefined) reject(reason)
        else if (startError !== undefined) reject(new GitError("failed", "git can't be started", startError.message))
        else if (code === null) reject(new GitError("failed", `git ${command.name} was ended by ${killed}`, stderr))
        else resolve({ code, stderr })
      })
    })
    // A caller that streams may await the exit after it has happened.
    exit.catch(() => {})
    // A process that ends early makes its stdin fail; its exit code tells why.
    child.stdin.on("error", () => {})
    child.stdout.on("error", () => {})

    const handle: GitProcess = {
      stdin: child.stdin,
      stdout: child.stdout,
      sent: () => (child.stdin instanceof Socket ? child.stdin.bytesWritten - child.stdin.writableLength : 0),
      exit,
      limitTime: (ms) => {
        if (children.has(handle))
          timers.push(setTimeout(() => end(new GitError("timeout", `git ${command.name} took longer than ${ms} ms`)), ms))
      },
      kill: abort,
    }
    children.add(handle)
    if (timeoutMs !== undefined) handle.limitTime(timeoutMs)
    if (signal?.aborted) abort()
    else signal?.addEventListener("abort", abort)
    return handle
  }

  async function open(limiter: Limiter, command: Command, options: OpenOptions): Promise<GitProcess> {
    const { caller = settings.caller(), signal = caller.signal } = options
    const release = await limiter.acquire(options.repository?.key ?? "", { caller, signal })
    try {
      const child = stream(command, { ...options, signal })
      child.exit.then(release, release)
      return child
    } catch (error) {
      release()
      throw error
    }
  }

  async function run(command: Command, options: RunOptions = {}): Promise<RunResult> {
    const { input, accept = [0], maxOutput = settings.outputBytes, limiter = settings.commands, ...rest } = options
    const child = await open(limiter, command, { timeoutMs: settings.commandMs, ...rest })
    child.stdin.end(input)
    const chunks: Buffer[] = []
    let size = 0
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size > maxOutput) child.kill()
      else chunks.push(chunk)
    })
    const exit = await child.exit.catch((error: unknown) => {
      throw size > maxOutput ? new GitError("tooLarge", `git ${command.name} wrote more than ${maxOutput} bytes`) : error
    })
    if (!accept.includes(exit.code)) throw new GitError("failed", `git ${command.name} ended with code ${exit.code}`, exit.stderr)
    return { ...exit, stdout: Buffer.concat(chunks) }
  }

  async function close(): Promise<void> {
    closed = true
    const exits = [...children].map((child) => {
      child.kill()
      return child.exit.catch(() => undefined)
    })
    await Promise.all(exits)
  }

  return { stream, open, run, spawned: () => spawned, running: () => children.size, close }
}
