import { randomBytes } from "node:crypto"
import { link, mkdir, open, readFile, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { pause } from "../seams/pause.ts"

/** Small files that only their owner may read, such as keys. */

/** The content, or undefined if the file doesn't exist. Throws any other error of the file system. */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
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
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
    })
  } finally {
    await rm(draft, { force: true }).catch(() => undefined)
  }
}
