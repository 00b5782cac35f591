import { Socket } from "node:net"
import type { AuthContext, Connection, ServerChannel, Session } from "ssh2"
import { workFor } from "../../core/caller.ts"
import { networkOf, plainAddress } from "../../core/networks.ts"
import type { Services } from "../../core/services.ts"
import { fingerprintOf, readKey, UnusableKeyError } from "../../features/people/keys/ssh/public-key.ts"
import { isSignedBy } from "../../features/people/keys/ssh/signature.ts"
import { findPublicKeyByFingerprint } from "../../features/people/keys/store.ts"
import { type Conversation, openConversation } from "./conversation.ts"
import type { PendingConnections } from "./pending.ts"
import { runCommand } from "./sessions.ts"

/** The most keys that a client may offer; an agent may hold a dozen. */
const MOST_KEYS = 30
/** The most channels open at once on one connection. */
const MOST_CHANNELS = 10
/** How long a connection may stay idle between commands. */
const IDLE_MS = 15 * 60 * 1000
/** How long a client may take to read the last data, and to disconnect by itself. */
const CLOSE_GRACE_MS = 1_000

/** A connection whose client has sent its version line. */
export interface ClientConnection {
  /** Whether a command is under way, or was a moment ago, that closing should wait for. */
  readonly isBusy: () => boolean
}

/** Lets a client sign in with a key, and runs its commands. */
export function serveConnection(services: Services, pending: PendingConnections, client: Connection): ClientConnection {
  const socket = socketOf(client)
  const address = socket.remoteAddress ?? ""
  const conversations = new Set<Conversation>()
  let keyId: number | undefined
  let offered = 0

  const end = (): void => {
    client.end()
    setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref()
  }
  client.on("error", (error: Error) => {
    services.log.debug({ err: error, ip: socket.remoteAddress }, "an SSH connection was broken off")
    setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref()
  })
  // Each conversation adds a listener to the socket.
  socket.setMaxListeners(socket.getMaxListeners() + MOST_CHANNELS)
  socket.on("data", () => {
    if ([...conversations].some(({ isFlooded }) => isFlooded())) socket.destroy()
  })
  socket.once("close", () => {
    for (const conversation of conversations) conversation.cut()
  })
  pending.greeted(socket)

  client.on("authentication", (context) => {
    offered += 1
    if (offered > MOST_KEYS) return end()
    signIn(context).catch((error: unknown) => {
      services.log.error({ err: error }, "an SSH key could not be looked up")
      socket.destroy()
    })
  })
  const signIn = async (context: AuthContext): Promise<void> => {
    const key = await findOfferedKey(services, context)
    if (context.method === "publickey" && key?.isProven !== false) services.signIns.count("key", key ? "right" : "wrong")
    if (socket.destroyed) return
    if (!key) return context.reject(["publickey"])
    // Without a signature the client only asks whether the key would be accepted.
    if (key.isProven) keyId = key.keyId
    context.accept()
  }
  client.on("ready", () => {
    pending.remove(socket)
    idle()
  })

  let idling: NodeJS.Timeout | undefined
  const idle = (): void => {
    clearTimeout(idling)
    if (conversations.size === 0) idling = setTimeout(end, IDLE_MS).unref()
  }
  socket.once("close", () => clearTimeout(idling))

  let sessions = 0
  let lastEnd = Number.NEGATIVE_INFINITY
  client.on("session", (accept, reject) => {
    if (sessions >= MOST_CHANNELS) return reject()
    let protocol: string | undefined
    const session: Session = accept()
    sessions += 1
    session.once("close", () => {
      sessions -= 1
    })
    const run = (opened: ServerChannel | undefined, command: string | undefined): void => {
      if (!opened || keyId === undefined) return
      const request = { keyId, command, protocol }
      const conversation = openConversation(opened, socket, services.config.http.stallSeconds * 1000)
      conversations.add(conversation)
      clearTimeout(idling)
      session.once("close", conversation.cut)
      workFor(
        networkOf(plainAddress(address) ?? ""),
        () => conversation.signal,
        () => runCommand(services, request, conversation),
      )
        .catch((error: unknown) => services.log.error({ err: error }, "an SSH session failed"))
        .finally(() => {
          conversations.delete(conversation)
          lastEnd = performance.now()
          idle()
        })
    }
    session.on("env", (agree, decline, { key, val }) => {
      if (key !== "GIT_PROTOCOL") return decline?.()
      protocol = val
      agree?.()
    })
    session.on("exec", (open, _decline, { command }) => run(open(), command))
    session.on("shell", (open) => run(open(), undefined))
    session.on("subsystem", (open, _decline, { name }) => run(open(), `subsystem ${name}`))
  })

  return { isBusy: () => performance.now() - lastEnd < CLOSE_GRACE_MS || [...conversations].some(({ isMoving }) => isMoving()) }
}

/** The library hides the socket, but only the socket shows whether the client reads what it is sent. */
export function socketOf(client: Connection): Socket {
  const socket: unknown = Reflect.get(client, "_sock")
  if (!(socket instanceof Socket)) throw new TypeError("this version of ssh2 keeps its socket elsewhere")
  return socket
}

interface OfferedKey {
  readonly keyId: number
  readonly isProven: boolean
}

/** The key that a client offers, if it belongs to an account or a repository here and the signature, if there is one, is valid. */
async function findOfferedKey({ database }: Services, context: AuthContext): Promise<OfferedKey | undefined> {
  if (context.method !== "publickey") return undefined
  const { key, signature, blob, hashAlgo } = context
  const row = await findPublicKeyByFingerprint.first(database.read, { fingerprint: fingerprintOf(key.data) })
  if (!row) return undefined
  if (signature === undefined) return { keyId: row.id, isProven: false }
  const algorithm = hashAlgo === undefined ? key.algo : hashAlgo === "sha512" ? "rsa-sha2-512" : "rsa-sha2-256"
  try {
    const isRight = blob !== undefined && isSignedBy(readKey(key.data), { algorithm, body: signature, numbers: "der" }, blob)
    return isRight ? { keyId: row.id, isProven: true } : undefined
  } catch (error) {
    if (error instanceof UnusableKeyError) return undefined
    throw error
  }
}
