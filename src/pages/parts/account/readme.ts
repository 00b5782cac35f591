import { Mode } from "../../../access/modes.ts"
import { permissionOn, type Repository, unitMode } from "../../../access/permission.ts"
import { findRepositoryByName } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import { type Html, html } from "../../../core/html.ts"
import { LONGEST_MARKUP } from "../../../core/markup/markup.ts"
import type { Request } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { resolveRevision } from "../../../features/code/commits/revision.ts"
import { isGitError } from "../../../git/index.ts"
import { renderText } from "../texts.ts"

/** What an account says about itself: the README of its repository `.profile`, and for members of an organisation that of `.profile-private`. */

export const PROFILE = ".profile"
export const PROFILE_FOR_MEMBERS = ".profile-private"

const README = /^readme(?:\.(?:md|markdown))?$/i

/** The rendered README of the first of these repositories that the reader may read and that has one. */
export async function profileReadme(call: Request, account: User, names: readonly string[]): Promise<Html | undefined> {
  for (const name of names) {
    const shown = await readmeIn(call, account, name)
    if (shown) return shown
  }
  return undefined
}

async function readmeIn({ services, db, actor }: Request, owner: User, name: string): Promise<Html | undefined> {
  const repository = await findRepositoryByName.first(db, { ownerId: owner.id, lowerName: name })
  if (!repository) return undefined
  const permission = await permissionOn(db, actor, { repository, owner })
  if (unitMode(permission, repository, "repo.code") < Mode.read) return undefined
  const text = await readText(services, repository)
  if (text === undefined) return undefined
  const file = { at: `branch/${escapePath(repository.default_branch)}`, folder: "" }
  const rendered = await renderText({ services, db, actor, repository, owner }, text, { style: "document", file })
  return html`
    <section class="card" aria-label="About ${owner.name}">
      <div class="inside">${rendered}</div>
    </section>
  `
}

/** The text of the README on the default branch. An empty repository has none; one that git can't read must not take the whole page with it. */
async function readText({ git }: Services, repository: Repository): Promise<string | undefined> {
  try {
    const revision = await resolveRevision(git, repository, undefined)
    if (!revision) return undefined
    const storage = git.at(repository.storage, repository.object_format)
    const entries = await git.objects.readTree(storage, revision.commit.tree)
    const entry = entries.find((each) => README.test(each.name) && each.mode.startsWith("100"))
    if (!entry || (await git.objects.namedInfo(storage, entry.id)).size > LONGEST_MARKUP) return undefined
    return (await git.objects.readBlob(storage, entry.id)).toString("utf8")
  } catch (error) {
    if (isGitError(error)) return undefined
    throw error
  }
}
