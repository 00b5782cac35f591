import { connect } from "node:net"
import { GitError } from "./errors.ts"
import type { Remote } from "./remote.ts"

/**
 * Makes sure that somebody answers at a remote's address before git is started: git itself waits for minutes. Throws `remote` where nobody does within so
 * many milliseconds, `aborted`.
 */
export async function dial({ url, address }: Pick<Remote, "url" | "address">, withinMs: number, signal?: AbortSignal): Promise<void> {
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
