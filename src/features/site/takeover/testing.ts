import { argon2Sync, createHash, pbkdf2Sync, scryptSync } from "node:crypto"
import { hashSync } from "bcryptjs"
import { type Gitea, sealedText, sealedTotp, tokenHash } from "../../../../tests/support/gitea.ts"

export const TOKEN = "0123456789abcdef0123456789abcdef01234567"
export const RUNNER_TOKEN = "89abcdef0123456789abcdef0123456789abcdef"
export const TOTP_SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
export const SALT = "00112233445566778899aabbccddeeff"
export const salt = Buffer.from(SALT, "hex")

export const HASHES: Readonly<Record<string, (password: string) => readonly [algorithm: string, hash: string, salt?: string]>> = {
  pbkdf2: (password) => ["pbkdf2$50000$50", pbkdf2Sync(password, salt, 50_000, 50, "sha256").toString("hex")],
  old: (password) => ["", pbkdf2Sync(password, "tencharact", 10_000, 50, "sha256").toString("hex"), "tencharact"],
  argon2: (password) => [
    "argon2$2$4096$2$50",
    argon2Sync("argon2id", { message: password, nonce: salt, passes: 2, memory: 4096, parallelism: 2, tagLength: 50 }).toString("hex"),
  ],
  scrypt: (password) => ["scrypt$4096$8$1$50", scryptSync(password, salt, 50, { N: 4096, r: 8, p: 1 }).toString("hex")],
  bcrypt: (password) => ["bcrypt$4", hashSync(password, 4)],
}

export interface Made {
  readonly first: string
  readonly last: string
}

/** People with passwords of all kinds, an organisation, and a repository with what repositories have. */
export function fill(gitea: Gitea): Made {
  const at = 1_700_000_000
  let id = 0
  const person = (name: string, more: Readonly<Record<string, string | number>> = {}) => {
    id++
    gitea.add("user", {
      id,
      lower_name: name,
      name,
      email: `${name}@example.org`,
      passwd: "",
      passwd_hash_algo: "",
      salt: SALT,
      type: 0,
      is_active: 1,
      avatar: "",
      avatar_email: "",
      allow_create_organization: 1,
      created_unix: at,
      updated_unix: at,
      ...more,
    })
    gitea.add("email_address", {
      uid: id,
      email: `${name}@example.org`,
      lower_email: `${name}@example.org`,
      is_activated: 1,
      is_primary: 1,
    })
    return id
  }
  person("root", { is_admin: 1 })
  for (const [name, hash] of Object.entries(HASHES)) {
    const [algorithm, passwd, own = SALT] = hash(`password of ${name}`)
    person(name, { passwd, passwd_hash_algo: algorithm, salt: own })
  }
  person("acme", { type: 1 })
  person("reserved", { type: 2 })
  gitea.add("team", { id: 1, org_id: 7, lower_name: "owners", name: "Owners", authorize: 4, visibility: 1 })
  gitea.add("team_user", { org_id: 7, team_id: 1, uid: 1 })
  gitea.add("org_user", { uid: 1, org_id: 7, is_public: 1 })
  gitea.add("access_token", {
    id: 5,
    uid: 1,
    name: "all",
    token_hash: tokenHash(TOKEN, "saltofatok"),
    token_salt: "saltofatok",
    token_last_eight: TOKEN.slice(-8),
    scope: "all",
    created_unix: at,
    updated_unix: at,
  })
  gitea.add("two_factor", {
    uid: 3,
    secret: sealedTotp(TOTP_SECRET),
    scratch_salt: "saltofcode",
    scratch_hash: tokenHash("Scratch1Code", "saltofcode"),
    created_unix: at,
  })
  gitea.add("user_redirect", { lower_name: "ruth", redirect_user_id: 1 })
  gitea.add("user_redirect", { lower_name: "gone", redirect_user_id: 99 })
  gitea.add("repository", {
    id: 40,
    owner_id: 7,
    owner_name: "acme",
    lower_name: "engine",
    name: "Engine",
    default_branch: "main",
    is_empty: 0,
    is_private: 0,
    trust_model: 0,
    topics: '["steam"]',
    created_unix: at,
    updated_unix: at,
  })
  gitea.add("repository", {
    id: 41,
    owner_id: 7,
    owner_name: "acme",
    lower_name: "lost",
    name: "lost",
    default_branch: "main",
    is_empty: 0,
  })
  for (const type of [1, 2, 3, 4, 5, 8, 9, 10])
    for (const repo of [40, 41]) gitea.add("repo_unit", { repo_id: repo, type, config: type === 2 ? '{"EnableTimetracker":false}' : null })
  const [first = "", last = ""] = gitea.repository("acme/engine", ["one", "two"])
  gitea.git("acme/engine", "tag", "v1", first)
  gitea.git("acme/engine", "update-ref", "refs/pull/2/head", last)
  gitea.file("repos/acme/engine.git/hooks/post-receive", "#!/bin/sh\n")
  gitea.add("label", { id: 9, repo_id: 40, org_id: 0, name: "bug", color: "#EE0701", description: "", exclusive: 0 })
  gitea.add("issue_index", { group_id: 40, max_index: 12 })
  gitea.add("issue", {
    id: 70,
    repo_id: 40,
    index: 1,
    poster_id: 1,
    name: "Steam",
    content: "hot",
    is_pull: 0,
    is_closed: 0,
    created_unix: at,
  })
  gitea.add("issue", { id: 71, repo_id: 40, index: 2, poster_id: 2, name: "Cool", content: "", is_pull: 1, is_closed: 0, created_unix: at })
  gitea.add("issue", {
    id: 72,
    repo_id: 99,
    index: 1,
    poster_id: 1,
    name: "Of a lost repository",
    is_pull: 0,
    is_closed: 0,
    created_unix: at,
  })
  gitea.add("issue_label", { issue_id: 70, label_id: 9 })
  gitea.add("comment", { id: 80, type: 0, poster_id: 1, issue_id: 70, content: "indeed", created_unix: at + 1, updated_unix: at + 1 })
  gitea.add("comment", { id: 81, type: 14, poster_id: 1, issue_id: 70, content: "|3660", created_unix: at + 2, updated_unix: at + 2 })
  gitea.add("pull_request", {
    id: 3,
    type: 0,
    status: 2,
    issue_id: 71,
    index: 2,
    head_repo_id: 40,
    base_repo_id: 40,
    head_branch: "topic",
    base_branch: "main",
    merge_base: first,
    has_merged: 0,
  })
  const uuid = "fa3b1f41-6559-423f-be8e-1ac567367f38"
  gitea.add("attachment", {
    id: 4,
    uuid,
    repo_id: 40,
    issue_id: 70,
    comment_id: 0,
    release_id: 0,
    uploader_id: 1,
    name: "a.txt",
    size: 5,
    created_unix: at,
  })
  gitea.file(`data/attachments/f/a/${uuid}`, "hello")
  const oid = createHash("sha256").update("large").digest("hex")
  gitea.add("lfs_meta_object", { id: 6, oid, size: 5, repository_id: 40, created_unix: at })
  gitea.file(`data/lfs/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid.slice(4)}`, "large")
  gitea.add("secret", { id: 2, owner_id: 0, repo_id: 40, name: "KEY", data: sealedText("hidden"), description: "", created_unix: at })
  gitea.add("webhook", {
    id: 8,
    repo_id: 40,
    owner_id: 0,
    is_system_webhook: 0,
    url: "http://example.org/hook",
    content_type: 1,
    secret: "signs",
    events: '{"push_only":true}',
    is_active: 1,
    type: "gitea",
    header_authorization_encrypted: sealedText("Bearer x"),
    created_unix: at,
    updated_unix: at,
  })
  gitea.add("action_runner", {
    id: 2,
    uuid: "9d166578-7fb7-4c78-a9b4-89765cb098e7",
    name: "one",
    version: "1",
    owner_id: 0,
    repo_id: 40,
    token_hash: tokenHash(RUNNER_TOKEN, "saltrunner"),
    token_salt: "saltrunner",
    agent_labels: '["linux"]',
    created: at,
    updated: at,
  })
  return { first, last }
}
