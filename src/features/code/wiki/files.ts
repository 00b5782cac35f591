import { randomUUID } from "node:crypto"
import type { Owned } from "../../../access/permission.ts"
import type { Download } from "../../../core/download.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import type { Upload } from "../../../core/upload.ts"
import { findEntry, partsToRead } from "../contents/paths.ts"
import { downloadOfBlob, missingFile } from "../contents/raw.ts"
import { commitTo, type WikiCall } from "./edit.ts"
import { openWiki } from "./repository.ts"
import { openView } from "./view.ts"

/** Files of a wiki beside its pages: pictures that its texts show. They are in its git repository, and go with it wherever it is cloned to. */

const MIB = 1024 * 1024
export const MOST_BYTES_OF_WIKI_FILE = 16 * MIB
const FOLDER = "uploads"
/** What a name is made of, so that it means nothing in Markdown or in an address. */
const ODD = /[^\p{L}\p{N}._-]+/gu
const LONGEST_NAME = 100

/**
 * Commits a file for a text that is being written, in a folder of its own, and gives its path. Refuses `tooLarge`, and `conflict` where the wiki is changed
 * again and again meanwhile.
 */
export async function attachToWiki(call: WikiCall, { fileName, content }: Upload): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of content) {
    size += part.length
    if (size > MOST_BYTES_OF_WIKI_FILE) throw refuse.tooLarge(t`${fileName} has more than ${MOST_BYTES_OF_WIKI_FILE / MIB} MiB`)
    parts.push(part)
  }
  const name =
    fileName
      .replaceAll(ODD, "-")
      .replace(/^[.-]+/, "")
      .slice(-LONGEST_NAME) || "file"
  const path = [FOLDER, randomUUID().slice(0, 8), name]
  await commitTo(call, await openWiki(call.services, call.on.repository), async ({ tree }) => {
    await tree.put(path, { mode: "100644", content: Buffer.concat(parts) })
    return { address: "", message: `Attach ${name}`, told: undefined }
  })
  return path.join("/")
}

/** A file of the wiki as it is now. Refuses `notFound`. */
export async function wikiFile(services: Services, owned: Owned, path: string): Promise<Download> {
  const { git } = services
  const { repository, commit } = await openView(services, owned)
  const entry = await findEntry(git, repository, commit.tree, partsToRead(path))
  if (!entry || (entry.mode !== "100644" && entry.mode !== "100755")) throw missingFile()
  return downloadOfBlob(git, repository, { entry, size: (await git.objects.namedInfo(repository, entry.id)).size })
}
