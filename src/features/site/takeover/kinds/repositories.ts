import { mirrorSecretContext } from "../../../code/mirrors/pull-rules.ts"
import { pushSecretContext } from "../../../code/mirrors/push.ts"
import { type Kind, leftOut, put, rows, sealed } from "../mapping/kind.ts"
import { remoteOf } from "../mapping/remotes.ts"
import { unitColumns } from "../mapping/units.ts"
import type { World } from "../mapping/world.ts"
import { ids, isOn, json, moment, number, onOff, type SourceRow, text, texts } from "../source/row.ts"
import { pictureOf } from "./people.ts"

const GONE = { repository: "the repository is gone", person: "the account is gone", team: "the team is gone" } as const

/** States of a repository there. */
const [MIGRATING, BROKEN] = [1, 3]
const TRUST = ["default", "committer", "collaborator", "collaboratorcommitter"] as const
const NANOSECONDS = 1_000_000_000

const topics: Kind = {
  name: "topics",
  from: "topic",
  into: "topics",
  map: (row) =>
    rows(
      put("topics", {
        id: number(row, "id"),
        name: text(row, "name"),
        repositories_count: number(row, "repo_count"),
        created_at: moment(row, "created_unix"),
        updated_at: moment(row, "updated_unix"),
      }),
    ),
}

const repositories: Kind = {
  name: "repositories",
  from: "repository",
  beside: [{ table: "user", columns: "o.lower_name as owner_lower", join: "left join [user] o on o.id = x.owner_id" }],
  into: "repositories",
  async map(row, world) {
    const [id, ownerId, name, status] = [number(row, "id"), number(row, "owner_id"), text(row, "name"), number(row, "status")]
    if (!world.has("users", ownerId)) return leftOut(`${text(row, "owner_name")}/${name}: the owner is gone`)
    if (status === MIGRATING) return leftOut(`${text(row, "owner_name")}/${name} was still being imported there: import it again`)
    const lowerName = text(row, "lower_name") || name.toLowerCase()
    const storage = world.nameOf(`repository ${id}`).replaceAll("-", "")
    const settings = world.settings.get(id)
    const format = text(row, "object_format_name") === "sha256" ? "sha256" : "sha1"
    const picture = text(row, "avatar") === "" ? undefined : await pictureOf(world, "repo-avatars", text(row, "avatar"))
    const defaultBranch = text(row, "default_branch") || "main"
    world.repositories.set(id, {
      id,
      path: `${text(row, "owner_lower")}/${lowerName}`,
      name: `${text(row, "owner_name")}/${name}`,
      storage: `${storage.slice(0, 2)}/${storage}`,
      format,
      defaultBranch,
      wikiBranch: text(row, "default_wiki_branch") || "master",
      isBroken: status === BROKEN,
    })
    const language = Object.entries(world.languages.get(id) ?? {}).sort(([, a], [, b]) => b - a)[0]?.[0] ?? ""
    const opened = settings?.opened === true
    return {
      rows: [
        put("repositories", {
          id,
          owner_id: ownerId,
          name,
          lower_name: lowerName,
          storage: `${storage.slice(0, 2)}/${storage}`,
          description: text(row, "description"),
          website: text(row, "website"),
          default_branch: defaultBranch,
          object_format: format,
          trust_model: TRUST[number(row, "trust_model")] ?? "default",
          original_url: text(row, "original_url"),
          avatar: picture?.digest ?? "",
          is_private: onOff(row, "is_private"),
          is_template: onOff(row, "is_template"),
          is_mirror: onOff(row, "is_mirror"),
          is_empty: onOff(row, "is_empty"),
          is_archived: onOff(row, "is_archived"),
          archived_at: moment(row, "archived_unix"),
          fork_of_id: isOn(row, "is_fork") ? world.known("repositories", number(row, "fork_id")) : null,
          template_id: world.known("repositories", number(row, "template_id")),
          created_at: moment(row, "created_unix"),
          updated_at: moment(row, "updated_unix"),
          language,
          licenses: JSON.stringify(world.licenses.get(id) ?? []),
          topics: JSON.stringify(texts(row, "topics")),
          lfs_size: number(row, "lfs_size"),
          ...unitColumns(settings),
        }),
      ],
      ...(picture && { files: [picture.file] }),
      remark: opened ? `${text(row, "owner_name")}/${name}: parts of it were open to everyone there, which is no setting here` : undefined,
    }
  },
}

const languages: Kind = {
  name: "languages of repositories",
  from: "repository",
  into: "repository_languages",
  map(row, world) {
    const [id, counted] = [number(row, "id"), world.languages.get(number(row, "id"))]
    if (!counted || !world.has("repositories", id)) return undefined
    const bytes = Object.fromEntries(Object.entries(counted).sort(([, a], [, b]) => b - a))
    return rows(put("repository_languages", { repository_id: id, tree_id: "", bytes: JSON.stringify(bytes) }))
  },
}

const redirects: Kind = {
  name: "former names of repositories",
  from: "repo_redirect",
  into: "repository_redirects",
  map(row, world) {
    const [ownerId, repositoryId] = [number(row, "owner_id"), number(row, "redirect_repo_id")]
    if (!world.has("users", ownerId)) return leftOut(GONE.person)
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    return rows(put("repository_redirects", { owner_id: ownerId, lower_name: text(row, "lower_name"), repository_id: repositoryId }))
  },
}

const topicsOfRepositories: Kind = {
  name: "topics of repositories",
  from: "repo_topic",
  key: "(x.repo_id * 4194304 + x.topic_id)",
  into: "repository_topics",
  map(row, world) {
    const [repositoryId, topicId] = [number(row, "repo_id"), number(row, "topic_id")]
    if (!world.has("repositories", repositoryId) || !world.has("topics", topicId)) return leftOut("the repository or the topic is gone")
    return rows(put("repository_topics", { repository_id: repositoryId, topic_id: topicId }))
  },
}

const teamRepositories: Kind = {
  name: "repositories of teams",
  from: "team_repo",
  into: "team_repositories",
  map(row, world) {
    const [teamId, repositoryId] = [number(row, "team_id"), number(row, "repo_id")]
    if (!world.has("teams", teamId)) return leftOut(GONE.team)
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    return rows(put("team_repositories", { team_id: teamId, repository_id: repositoryId, organization_id: number(row, "org_id") }))
  },
}

/** What a row of a person and a repository is about; a reason where one of them is gone. */
function pairOf(row: SourceRow, world: World, person: string) {
  const [userId, repositoryId] = [number(row, person), number(row, "repo_id")]
  if (!world.has("users", userId)) return leftOut(GONE.person)
  if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
  return { user_id: userId, repository_id: repositoryId }
}

const collaborators: Kind = {
  name: "collaborators",
  from: "collaboration",
  into: "collaborations",
  map(row, world) {
    const pair = pairOf(row, world, "user_id")
    if ("leftOut" in pair) return pair
    return rows(put("collaborations", { ...pair, mode: number(row, "mode"), created_at: moment(row, "created_unix") }))
  },
}

const stars: Kind = {
  name: "stars",
  from: "star",
  into: "stars",
  map(row, world) {
    const pair = pairOf(row, world, "uid")
    return "leftOut" in pair ? pair : rows(put("stars", { ...pair, created_at: moment(row, "created_unix") }))
  },
}

const WATCH_MODES = [undefined, "normal", "declined", "automatic"] as const

const watches: Kind = {
  name: "watched repositories",
  from: "watch",
  into: "watches",
  map(row, world) {
    const pair = pairOf(row, world, "user_id")
    const mode = WATCH_MODES[number(row, "mode")]
    if (mode === undefined) return undefined
    return "leftOut" in pair ? pair : rows(put("watches", { ...pair, mode, created_at: moment(row, "created_unix") }))
  },
}

const transfers: Kind = {
  name: "pending transfers",
  from: "repo_transfer",
  into: "repository_transfers",
  map(row, world) {
    const [repositoryId, recipientId, doerId] = [number(row, "repo_id"), number(row, "recipient_id"), number(row, "doer_id")]
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    if (!world.has("users", recipientId) || !world.has("users", doerId)) return leftOut(GONE.person)
    return rows(
      put("repository_transfers", {
        repository_id: repositoryId,
        doer_id: doerId,
        recipient_id: recipientId,
        team_ids: JSON.stringify(ids(row, "team_i_ds")),
        created_at: moment(row, "created_unix"),
      }),
    )
  },
}

const disabledWorkflows: Kind = {
  name: "disabled workflows",
  from: "repository",
  into: "disabled_workflows",
  anew: { disabled_workflows: "repository_id" },
  map(row, world) {
    const id = number(row, "id")
    const disabled = world.settings.get(id)?.disabledWorkflows ?? []
    if (disabled.length === 0 || !world.has("repositories", id)) return undefined
    return rows(...new Set(disabled).values().map((workflow) => put("disabled_workflows", { repository_id: id, workflow })))
  },
}

const mirrors: Kind = {
  name: "mirrors",
  from: "mirror",
  into: "mirrors",
  async map(row, world) {
    const id = number(row, "repo_id")
    const repository = world.repositories.get(id)
    if (!repository) return leftOut(GONE.repository)
    const remote = await remoteOf(world.layout, repository, "origin", text(row, "remote_address"))
    return rows(
      put("mirrors", {
        repository_id: id,
        interval: Math.floor(number(row, "interval") / NANOSECONDS),
        enable_prune: onOff(row, "enable_prune"),
        remote_url: remote.url,
        remote_username: remote.username,
        sealed_secret: sealed(remote.password, mirrorSecretContext(id)),
        updated_at: moment(row, "updated_unix"),
        last_sync_at: moment(row, "last_sync_unix") || moment(row, "updated_unix"),
        next_sync_at: moment(row, "next_update_unix"),
        lfs: onOff(row, "lfs_enabled"),
        lfs_endpoint: text(row, "lfs_endpoint"),
      }),
    )
  },
}

const pushMirrors: Kind = {
  name: "push mirrors",
  from: "push_mirror",
  into: "push_mirrors",
  async map(row, world) {
    const id = number(row, "id")
    const repository = world.repositories.get(number(row, "repo_id"))
    if (!repository) return leftOut(GONE.repository)
    const interval = Math.floor(number(row, "interval") / NANOSECONDS)
    const remote = await remoteOf(world.layout, repository, text(row, "remote_name"), text(row, "remote_address"))
    return rows(
      put("push_mirrors", {
        id,
        repository_id: repository.id,
        remote_name: text(row, "remote_name"),
        remote_url: remote.url,
        remote_username: remote.username,
        sealed_secret: sealed(remote.password, pushSecretContext(id)),
        interval,
        sync_on_commit: onOff(row, "sync_on_commit"),
        created_at: moment(row, "created_unix"),
        last_sync_at: moment(row, "last_update"),
        next_sync_at: interval === 0 ? 0 : moment(row, "last_update") + interval,
        last_error: text(row, "last_error"),
      }),
    )
  },
}

const LISTS = [
  ["push", "whitelist"],
  ["force_push", "force_push_allowlist"],
  ["merge", "merge_whitelist"],
  ["approvals", "approvals_whitelist"],
  ["bypass", "bypass_allowlist"],
] as const

const branchProtections: Kind = {
  name: "branch rules",
  from: "protected_branch",
  into: "branch_protections",
  anew: { branch_protection_lists: "protection_id" },
  map(row, world) {
    const [id, repositoryId] = [number(row, "id"), number(row, "repo_id")]
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    const contexts = json(row, "status_check_contexts")
    const lists = LISTS.flatMap(([list, column]) => [
      ...ids(row, `${column}_user_i_ds`)
        .filter((user) => world.has("users", user))
        .map((user) => put("branch_protection_lists", { protection_id: id, list, user_id: user, team_id: null })),
      ...ids(row, `${column}_team_i_ds`)
        .filter((team) => world.has("teams", team))
        .map((team) => put("branch_protection_lists", { protection_id: id, list, user_id: null, team_id: team })),
    ])
    return rows(
      put("branch_protections", {
        id,
        repository_id: repositoryId,
        rule_name: text(row, "branch_name"),
        priority: number(row, "priority"),
        enable_push: onOff(row, "can_push"),
        enable_push_whitelist: onOff(row, "enable_whitelist"),
        push_whitelist_deploy_keys: onOff(row, "whitelist_deploy_keys"),
        enable_force_push: onOff(row, "can_force_push"),
        enable_force_push_allowlist: onOff(row, "enable_force_push_allowlist"),
        force_push_allowlist_deploy_keys: onOff(row, "force_push_allowlist_deploy_keys"),
        enable_merge_whitelist: onOff(row, "enable_merge_whitelist"),
        enable_bypass_allowlist: onOff(row, "enable_bypass_allowlist"),
        enable_status_check: onOff(row, "enable_status_check"),
        status_check_contexts: Array.isArray(contexts) ? JSON.stringify(contexts.map(String)) : "null",
        required_approvals: number(row, "required_approvals"),
        enable_approvals_whitelist: onOff(row, "enable_approvals_whitelist"),
        block_on_rejected_reviews: onOff(row, "block_on_rejected_reviews"),
        block_on_official_review_requests: onOff(row, "block_on_official_review_requests"),
        block_on_outdated_branch: onOff(row, "block_on_outdated_branch"),
        dismiss_stale_approvals: onOff(row, "dismiss_stale_approvals"),
        ignore_stale_approvals: onOff(row, "ignore_stale_approvals"),
        require_signed_commits: onOff(row, "require_signed_commits"),
        protected_file_patterns: text(row, "protected_file_patterns"),
        unprotected_file_patterns: text(row, "unprotected_file_patterns"),
        block_admin_merge_override: onOff(row, "block_admin_merge_override"),
        created_at: moment(row, "created_unix"),
        updated_at: moment(row, "updated_unix"),
      }),
      ...lists,
    )
  },
}

const tagProtections: Kind = {
  name: "tag rules",
  from: "protected_tag",
  into: "tag_protections",
  anew: { tag_protection_lists: "protection_id" },
  map(row, world) {
    const [id, repositoryId] = [number(row, "id"), number(row, "repo_id")]
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    return rows(
      put("tag_protections", {
        id,
        repository_id: repositoryId,
        name_pattern: text(row, "name_pattern"),
        created_at: moment(row, "created_unix"),
        updated_at: moment(row, "updated_unix"),
      }),
      ...ids(row, "allowlist_user_i_ds")
        .filter((user) => world.has("users", user))
        .map((user) => put("tag_protection_lists", { protection_id: id, user_id: user, team_id: null })),
      ...ids(row, "allowlist_team_i_ds")
        .filter((team) => world.has("teams", team))
        .map((team) => put("tag_protection_lists", { protection_id: id, user_id: null, team_id: team })),
    )
  },
}

const renamedBranches: Kind = {
  name: "renamed branches",
  from: "renamed_branch",
  into: "branch_redirects",
  map(row, world) {
    const repositoryId = number(row, "repo_id")
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    return rows(
      put("branch_redirects", {
        repository_id: repositoryId,
        name: text(row, "from"),
        new_name: text(row, "to"),
        created_at: moment(row, "created_unix"),
      }),
    )
  },
}

const statuses: Kind = {
  name: "statuses of commits",
  from: "commit_status",
  into: "commit_statuses",
  map(row, world) {
    const repositoryId = number(row, "repo_id")
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    return rows(
      put("commit_statuses", {
        id: number(row, "id"),
        repository_id: repositoryId,
        commit_id: text(row, "sha"),
        number: number(row, "index"),
        state: text(row, "state"),
        context: text(row, "context"),
        target_url: text(row, "target_url"),
        description: text(row, "description"),
        creator_id: number(row, "creator_id"),
        created_at: moment(row, "created_unix"),
      }),
    )
  },
}

/** A file that several repositories have is one object, with the lowest of the ids that it has there. */
const largeFiles: Kind = {
  name: "large files",
  from: "lfs_meta_object",
  beside: [{ table: "lfs_meta_object", columns: "(select min(o.id) from [lfs_meta_object] o where o.oid = x.oid) as object_id" }],
  into: "lfs_links",
  map(row, world) {
    const [oid, repositoryId, objectId] = [text(row, "oid"), number(row, "repository_id"), number(row, "object_id")]
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    if (!/^[0-9a-f]{64}$/.test(oid)) return leftOut(`${oid} is no SHA-256`)
    const file = world.nameOf(`lfs ${oid}`)
    const created = moment(row, "created_unix")
    return {
      rows: [
        put("lfs_objects", { id: objectId, oid, size: number(row, "size"), file, created_at: created, linked_at: created }),
        put("lfs_links", { repository_id: repositoryId, object_id: objectId, created_at: created }),
      ],
      files: [{ store: "lfs", path: `${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid.slice(4)}`, key: `lfs/${file.slice(0, 2)}/${file}` }],
    }
  },
}

const locks: Kind = {
  name: "locks of large files",
  from: "lfs_lock",
  into: "lfs_locks",
  map(row, world) {
    const [repositoryId, ownerId] = [number(row, "repo_id"), number(row, "owner_id")]
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    if (!world.has("users", ownerId)) return leftOut(GONE.person)
    return rows(
      put("lfs_locks", {
        id: number(row, "id"),
        repository_id: repositoryId,
        path: text(row, "path"),
        owner_id: ownerId,
        created_at: moment(row, "created"),
      }),
    )
  },
}

export const repositoryKinds: readonly Kind[] = [
  topics,
  repositories,
  languages,
  redirects,
  topicsOfRepositories,
  teamRepositories,
  collaborators,
  stars,
  watches,
  transfers,
  disabledWorkflows,
  mirrors,
  pushMirrors,
  branchProtections,
  tagProtections,
  renamedBranches,
  statuses,
  largeFiles,
  locks,
]
