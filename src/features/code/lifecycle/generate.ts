import { Mode } from "../../../access/modes.ts"
import type { Owned } from "../../../access/permission.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { User } from "../../../core/actor.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, type Commit, type Repository as GitRepository, isGitError } from "../../../git/index.ts"
import { commitPerson } from "../commits/people.ts"
import { surveyJob } from "../languages/survey.ts"
import { copyObjects } from "../lfs/store.ts"
import { copyProtections } from "../protections/copy.ts"
import { requireBranchName, requireRepositoryName } from "../repositories/names.ts"
import type { GenerateRepoOption } from "../repositories/records.ts"
import { repositoryHtmlUrl, repositorySshUrl } from "../repositories/urls.ts"
import { signed } from "../signatures/signing.ts"
import { copyTopics } from "../topics/store.ts"
import { establish, requireCreatable } from "./establish.ts"
import { expandTree, pathMatcher, type RepositoryNames, readList, variablesOf } from "./expansion.ts"
import { INITIAL_MESSAGE } from "./initial.ts"

export interface GenerateOptions {
  readonly doer: User
  /** The caller must check that the doer may create repositories for it. */
  readonly owner: User
  readonly options: GenerateRepoOption
}

const ITEMS = ["git_content", "topics", "git_hooks", "webhooks", "avatar", "labels", "protected_branch"] as const

/** Refuses `invalid` for a repository that is no template, and if no item is selected. */
export function requireTemplateItems({ repository }: Owned, options: GenerateRepoOption): void {
  if (repository.is_template === 0) throw refuse.invalid("template_repo", "this is not a template repo")
  if (!ITEMS.some((item) => options[item])) throw refuse.invalid(ITEMS[0], t`must select at least one template item: ${ITEMS.join(", ")}`)
}

/** Refuses `forbidden` for copying webhooks without being an administrator of the template: their URLs and credentials are secret. */
export function requireOwnHooks({ permission }: OnRepository, { webhooks }: GenerateRepoOption): void {
  if (webhooks && permission.mode < Mode.admin) throw refuse.forbidden("only administrators of the template may take its webhooks along")
}

/**
 * Creates a repository with the selected items of a template: its files as one first commit, its topics, avatar, labels, webhooks and
 * branch protections. Refuses like `requireTemplateItems` and `expandTree`, `invalid` for an invalid name, `forbidden` over the owner's
 * limit, `conflict` for a name that is taken.
 */
export async function generateRepository(services: Services, template: Owned, { doer, owner, options }: GenerateOptions): Promise<Owned> {
  const { git, config, database } = services
  const { repository: source } = template
  const { name, description = "", default_branch: wanted = "" } = options
  requireTemplateItems(template, options)
  requireRepositoryName(name)
  if (wanted !== "") requireBranchName(wanted, "default_branch")
  await requireCreatable(database.read, services, { doer, owner, name })
  const withContent = options.git_content === true
  const branch = wanted || (withContent ? source.default_branch : "")
  const generated: Naming = { owner: owner.name, name, description }

  return establish(
    services,
    (storage) => git.repositories.create(storage, { format: source.object_format, branch: branch || config.repository.defaultBranch }),
    async (made) => {
      const commit =
        withContent && source.is_empty === 0 ? await copyContent(services, template, made, { branch, doer, generated }) : undefined
      return {
        doer,
        owner,
        name,
        tips: commit ? [{ name: branch, commit }] : [],
        row: {
          description,
          // Clients expect a repository without files to have no default branch; the first push sets it.
          default_branch: branch,
          object_format: source.object_format,
          trust_model: source.trust_model,
          template_id: source.id,
          is_private: flag(config.repository.forcePrivate || (options.private ?? false)),
          is_empty: flag(!commit),
          ...(commit ? { language: source.language, licenses: source.licenses } : {}),
          ...(options.avatar ? { avatar: source.avatar } : {}),
          ...(options.topics ? { topics: source.topics } : {}),
        },
        ...(options.labels && { labelsFrom: source.id }),
        ...(options.webhooks && { webhooksFrom: source.id }),
        alongside: async (tx, id) => {
          if (options.topics) await copyTopics(tx, source.id, id)
          if (options.protected_branch) await copyProtections(tx, source, { id, owner_id: owner.id }, services.now())
          if (commit) await copyObjects(tx, { from: source.id, to: id, now: services.now() })
          if (commit) await services.jobs.enqueue(tx, surveyJob, { repositoryId: id })
        },
      }
    },
  )
}

interface Naming {
  readonly owner: string
  readonly name: string
  readonly description: string
}

interface Copying {
  readonly branch: string
  readonly doer: User
  readonly generated: Naming
}

/** Commits the files of the template's default branch. Returns undefined if there are none. */
async function copyContent(
  services: Services,
  { repository, owner }: Owned,
  made: GitRepository,
  { branch, doer, generated }: Copying,
): Promise<Commit | undefined> {
  const { git, site, now } = services
  const from = git.at(repository.storage, repository.object_format)
  const last = await git.history.lastCommit(from, repository.default_branch)
  if (!last) return undefined
  await git.repositories.copyTree(from, last.tree, made)
  const list = await readList(git, made, last.tree)
  const side = ({ owner: ownerName, name, description }: Naming): RepositoryNames => ({
    name,
    owner: ownerName,
    description,
    htmlUrl: repositoryHtmlUrl(site, ownerName, name),
    sshUrl: repositorySshUrl(site, ownerName, name),
  })
  const template = { owner: owner.name, name: repository.name, description: repository.description }
  const values = variablesOf(side(generated), side(template), new Date(now() * 1000))
  try {
    const tree = list === undefined ? last.tree : await expandTree(git, made, last.tree, { matches: pathMatcher(list), values })
    if (tree === undefined) return undefined
    const person = commitPerson(services, doer)
    const unsigned = { tree, parents: [], author: person, committer: person, message: INITIAL_MESSAGE }
    const commit = await signed(services, { purpose: "initial", user: doer, repository: made }, unsigned)
    const id = await git.objects.writeCommit(made, commit)
    await git.references.update(made, [{ name: branchRef(branch), to: id, from: null }])
    return await git.objects.readCommit(made, id)
  } catch (error) {
    if (isGitError(error, "unfit")) throw refuse.invalid("git_content", error.message)
    if (isGitError(error, "invalid")) throw refuse.invalid("git_content", "the template holds a file whose name can't be written")
    throw error
  }
}
