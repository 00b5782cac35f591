import { randomBytes } from "node:crypto"
import type { Stats } from "node:fs"
import { link, mkdir, open, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { hasCode } from "../git/model/errors.ts"
import { pause } from "../seams/pause.ts"

/** Small files that only their owner may read, such as keys. */

/** Others than its owner have access to the file. `message` says what to do, for the operator. */
export class FileExposed extends Error {
  override readonly name = "FileExposed"
}

const ROOT = 0

/**
 * A sentence for the operator if others have access to the file, or undefined. With `byGroup` a file of root may be read by a group: so an
 * administrator lets a service read a file that it must not change. Windows has no such modes.
 */
export function exposureOf(file: string, { mode, uid }: Stats, { byGroup = false } = {}): string | undefined {
  const others = byGroup && uid === ROOT ? 0o007 : 0o077
  if (process.platform === "win32" || (mode & others) === 0) return undefined
  return `The file ${file} holds secrets, and others than its owner have access to it. Take that away with: chmod ${byGroup && uid === ROOT ? "o-rwx" : "600"} ${file}`
}

/** The content, or undefined if the file doesn't exist. Throws {@link FileExposed}, and any other error of the file system. */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  const handle = await open(file, "r").catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined
    throw error
  })
  if (handle === undefined) return undefined
  try {
    const exposure = exposureOf(file, await handle.stat())
    if (exposure !== undefined) throw new FileExposed(exposure)
    return await handle.readFile("utf8")
  } finally {
    await handle.close()
  }
}

/** Creates the file atomically; a file that another process has just created is kept. Throws the error of the file system. */
export async function makePrivateFile(file: string, content: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString("hex")}`
  try {
    await mkdir(dirname(file), { recursive: true })
    const handle = await open(draft, "wx", 0o600)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (pause) await pause("file.rename")
    // A link, unlike a rename, fails where the name is taken.
    await link(draft, file).catch((error: unknown) => {
      if (!hasCode(error, "EEXIST")) throw error
    })
  } finally {
    await rm(draft, { force: true }).catch(() => undefined)
  }
}
