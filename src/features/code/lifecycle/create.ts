import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { requireBranchName, requireRepositoryName } from "../repositories/names.ts"
import type { CreateRepoOption } from "../repositories/records.ts"
import { labelSet, labelSetNames } from "../repositories/templates/labels.ts"
import { establish, requireCreatable } from "./establish.ts"
import { commitFiles, initialFiles } from "./initial.ts"

export interface RepositoryCreation {
  /** Who creates it. The caller must check that they may. */
  readonly doer: User
  readonly owner: User
  readonly options: CreateRepoOption
}

/**
 * Creates a repository, empty or with a first commit. Everything is validated before anything is created.
 * Refuses `invalid` and `badRequest` for invalid options, `forbidden` over the owner's limit, `conflict` for a name that is taken.
 */
export async function createRepository(services: Services, { doer, owner, options }: RepositoryCreation): Promise<Owned> {
  const { config, database, git, now } = services
  const { name, license = "", auto_init: initialized = false, default_branch: wanted = "" } = options
  requireRepositoryName(name)
  if (wanted !== "") requireBranchName(wanted, "default_branch")
  const branch = wanted || config.repository.defaultBranch
  const labels = await labelsOf(options.issue_labels ?? "")
  if (license !== "" && !initialized) throw refuse.invalid("license", "needs auto_init: an empty repository has no file to hold it")
  const year = new Date(now() * 1000).getUTCFullYear()
  const files = initialized ? await initialFiles(options, { owner, year }) : undefined
  await requireCreatable(database.read, services, { doer, owner, name })
  const format = options.object_format_name || "sha1"
  const isTemplate = options.template ?? false

  return establish(
    services,
    (storage) => git.repositories.create(storage, { format, branch }),
    async (made) => {
      const commit = files && (await commitFiles(services, made, { files, branch, author: doer }))
      return {
        doer,
        owner,
        name,
        labels,
        tips: commit ? [{ name: branch, commit }] : [],
        row: {
          description: options.description ?? "",
          default_branch: branch,
          object_format: format,
          trust_model: options.trust_model || "default",
          is_private: flag(config.repository.forcePrivate || (options.private ?? false)),
          is_template: flag(isTemplate),
          is_empty: flag(!commit),
          // A template shouldn't run actions by itself.
          has_actions: flag(!isTemplate),
          licenses: JSON.stringify(license === "" ? [] : [license]),
        },
      }
    },
  )
}

async function labelsOf(set: string) {
  if (set === "") return []
  const labels = await labelSet(set)
  if (!labels) throw refuse.invalid("issue_labels", t`there is no label set ${set}; there are ${(await labelSetNames()).join(" and ")}`)
  return labels
}
