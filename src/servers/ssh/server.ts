import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import ssh2, { type Connection } from "ssh2"
import { readNetworks } from "../../core/networks.ts"
import type { Services } from "../../core/services.ts"
import { type ClientConnection, serveConnection, socketOf } from "./connection.ts"
import { openHostKey } from "./host-key.ts"
import { openPendingConnections } from "./pending.ts"
import { SshRefused } from "./refused.ts"

/** Git over SSH: public keys, and nothing but git. */
export interface SshServer {
  readonly port: number
  /** The fingerprint of the host's key, as clients show it. */
  readonly fingerprint: string
  readonly connections: () => number
  /** Accepts no more connections, and waits for fetches and pushes to end. Those that came less than `freshMs` ago may still begin one. */
  readonly close: (freshMs?: number) => Promise<void>
  /** Closes all connections. */
  readonly cut: () => void
}

/** The algorithms on offer: cheap for the server, so that anonymous clients can't overload it, and no compression. */
const algorithms: ssh2.Algorithms = {
  kex: ["curve25519-sha256", "curve25519-sha256@libssh.org", "ecdh-sha2-nistp256", "ecdh-sha2-nistp384", "ecdh-sha2-nistp521"],
  cipher: ["aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "chacha20-poly1305@openssh.com", "aes128-ctr", "aes256-ctr"],
  hmac: ["hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256", "hmac-sha2-512"],
  compress: ["none"],
}

const PENDING_LIMITS = { slots: 256, greetingMs: 15_000, signInMs: 120_000 }
const CLOSE_LOOKS_MS = 50

/** Serves git over SSH. Throws `KeyRefused` for the host's key, and {@link SshRefused} for the port and the address. */
export async function openSsh(services: Services): Promise<SshServer> {
  const { config, share, log } = services
  const { privateKey, fingerprint } = await openHostKey(services)
  const pending = openPendingConnections(PENDING_LIMITS)
  /** With the time of `performance.now()` when it came. */
  const sockets = new Map<Socket, number>()
  const clients = new Map<Socket, ClientConnection>()

  const protocol = new ssh2.Server({ hostKeys: [privateKey], ident: "Hearth", algorithms }, (client: Connection) => {
    clients.set(socketOf(client), serveConnection(services, pending, client))
  })
  const listener = createServer({ noDelay: true }, (socket) => {
    if (sockets.size >= share(config.http.maxConnections) || isFull(socket)) {
      socket.destroy()
      return
    }
    sockets.set(socket, performance.now())
    socket.once("close", () => {
      sockets.delete(socket)
      clients.delete(socket)
    })
    pending.add(socket)
    protocol.injectSocket(socket)
  })

  const isProxy = readNetworks(config.http.trustedProxies)
  const isFull = ({ remoteAddress = "" }: Socket): boolean =>
    !isProxy(remoteAddress) &&
    [...sockets.keys()].filter((socket) => socket.remoteAddress === remoteAddress).length >= share(config.http.maxConnectionsPerAddress)

  const listening = once(listener, "listening")
  listener.listen({ host: config.ssh.host || config.http.host, port: config.ssh.port })
  await listening.catch((error: unknown) => {
    throw new SshRefused(error)
  })
  // When file descriptors run out, new connections are refused and open ones continue.
  listener.on("error", (error) => log.error({ err: error }, "an SSH connection could not be taken"))
  const address = listener.address()
  const port = typeof address === "object" && address ? address.port : config.ssh.port
  log.info({ port, fingerprint }, "git over SSH")

  async function close(freshMs = 0): Promise<void> {
    const closed = once(listener, "close")
    listener.close()
    while (sockets.size > 0) {
      const oldest = performance.now() - freshMs
      for (const [socket, cameAt] of sockets) if (cameAt <= oldest && !clients.get(socket)?.isBusy()) socket.destroy()
      await new Promise((resolve) => setTimeout(resolve, CLOSE_LOOKS_MS))
    }
    await closed
  }
  const cut = () => {
    for (const socket of sockets.keys()) socket.destroy()
  }
  return { port, fingerprint, connections: () => sockets.size, close, cut }
}
