import { join } from "node:path"
import type { Readable } from "node:stream"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import { fileHeadersOf } from "../../../core/disposition.ts"
import type { Download } from "../../../core/download.ts"
import { refuse } from "../../../core/errors.ts"
import { openIfExists } from "../../../core/files.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { isGitError } from "../../../git/index.ts"
import { findCached, folderOf, openCached } from "./cache.ts"
import { type ArchiveRequest, type Format, readRequest } from "./requests.ts"
import { trim } from "./sweep.ts"

const TYPES: Readonly<Record<Format, string>> = { zip: "application/zip", "tar.gz": "application/gzip", bundle: "application/x-git-bundle" }

/** The folder of a repository's archives. */
export const archivesOf = (services: Pick<Services, "config">, storage: string): string => join(folderOf(services), storage)

/**
 * The archive that `v1.0.tar.gz` names. It is built once for each commit and format, and sent while it is being built.
 * Refuses like `readRequest`; its `open` refuses `tooLarge` for an archive over the site's limits.
 */
export async function archiveDownload(services: Services, on: OnRepository, asked: string, paths?: readonly string[]): Promise<Download> {
  const request = await readRequest(services, on, asked, paths)
  const path = join(archivesOf(services, on.repository.storage), `${request.digest}.${request.format}`)
  const size = await findCached(services, path)
  return {
    tag: `"${request.digest}"`,
    size,
    open: async () => ({
      type: TYPES[request.format],
      disposition: fileHeadersOf(request.fileName).disposition.replace(/^inline/, "attachment"),
      content: size === undefined ? await openCached(services, path, () => make(services, on, request)) : await openWhole(path),
    }),
  }
}

/** A file whose size was announced already. Refuses `busy` if it has been removed since. */
async function openWhole(path: string): Promise<Readable> {
  const file = await openIfExists(path)
  if (!file) throw refuse.busy()
  return file.createReadStream()
}

/** Builds an archive, unless it would be larger than the site allows. */
async function make(services: Services, { repository: row }: OnRepository, request: ArchiveRequest): Promise<Readable> {
  const { git, config } = services
  const { maxBytes, maxFiles } = config.archives
  const { repository, format, commit, prefix, paths, references } = request
  const tooLarge = () => refuse.tooLarge(t`an archive holds at most ${maxFiles} files and ${maxBytes} bytes; use git clone for more`)
  // Older archives are removed to stay within the cache's limit.
  await trim(services)
  if (format === "bundle") {
    if (row.git_size > maxBytes) throw tooLarge()
    return git.archives.bundle(repository, references)
  }
  await git.archives.measure(repository, { commit, paths }, { bytes: maxBytes, entries: maxFiles }).catch((error: unknown) => {
    throw isGitError(error, "tooLarge") ? tooLarge() : error
  })
  return git.archives.archive(repository, { format, commit, prefix, paths })
}
