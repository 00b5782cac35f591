import type { Owned } from "../../../access/permission.ts"
import { mapInBatches } from "../../../core/batches.ts"
import type { Services } from "../../../core/services.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { type Reference as GitReference, isHiddenRef, isRefName, isServedRef, refName } from "../../../git/index.ts"
import { repositoryApiUrl } from "../repositories/urls.ts"
import type { Reference } from "./records.ts"

/**
 * The references of a repository by name: all of them, or the one called `refs/<below>`, or else those with that prefix. Objects are
 * read only if a reference may point to something other than a commit, and by a process only where these are many.
 */
export async function readReferences({ git, site }: Services, { owner, repository: row }: Owned, below = ""): Promise<Reference[]> {
  const repository = git.at(row.storage, row.object_format)
  const api = repositoryApiUrl(site, owner.name, row.name)
  const path = below.replace(/\/+$/, "")
  const found = (await (path === "" ? git.references.list(repository) : listBelow())).filter(({ name }) => !isHiddenRef(name))
  const unknown = found.filter(({ name }) => !alwaysCommit(name)).map(({ id }) => id)
  const types = unknown.length > FEW ? await git.objects.types(repository, unknown) : undefined
  const presented = await mapInBatches(found, async ({ name, id }): Promise<readonly Reference[]> => {
    const type = alwaysCommit(name) ? "commit" : types ? types.get(id) : (await git.objects.info(repository, id))?.type
    if (type === undefined) return []
    return [
      {
        ref: name,
        url: `${api}/git/${escapePath(name)}`,
        object: { type, sha: id, url: `${api}/git/${type}s/${id}` },
      },
    ]
  })
  return presented.flat()

  async function listBelow(): Promise<readonly GitReference[]> {
    const name = `refs/${path}`
    if (!isRefName(name)) return []
    const id = await git.references.resolve(repository, name)
    if (id !== undefined) return [{ name: refName(name), id }]
    const beside = await git.references.list(repository, name.slice(0, name.lastIndexOf("/") + 1))
    return beside.filter((reference) => reference.name.startsWith(name))
  }
}

/** The kinds of more objects are asked for together, by a process. */
const FEW = 200

/** References that can only point to commits here. */
const alwaysCommit = (name: string): boolean => name.startsWith("refs/heads/") || isServedRef(name)
