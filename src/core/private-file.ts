import { randomBytes } from "node:crypto"
import { link, mkdir, open, readFile, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { pause } from "../seams/pause.ts"

/** Small files that only their owner may read, made once and kept: keys. */

/** The content, or undefined where the file is not there. Throws what the system says of any other failure. */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  }
}

/** Makes the file whole or not at all; where another process was faster, what that one made stays. Throws what the system says. */
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
