import { onRepositoryAsAdministrator } from "../../access/policies/repositories.ts"
import { signedIn } from "../../access/policies/site.ts"
import { refuse } from "../../core/errors.ts"
import { form } from "../../core/forms/form.ts"
import { attribute, type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import Type from "../../core/schema.ts"
import { lifecycleOperations } from "../../features/code/lifecycle/operations.ts"
import type { RepositoryImport } from "../../features/code/mirrors/records.ts"
import { findImportOf } from "../../features/site/migration/imports-store.ts"
import { migrationOperations } from "../../features/site/migration/operations.ts"
import { presentImport } from "../../features/site/migration/progress.ts"
import { path, repositoryPath, withQuery } from "../../web/address.ts"
import { notice, state } from "../../web/components.ts"
import { type Field, formView } from "../../web/form.ts"
import type { IconName } from "../../web/icon-names.ts"
import { addressOfMade, ownerField } from "../parts/new-repository.ts"
import { repositoryPage } from "../repository/frame.ts"

const source: readonly Field[] = [
  {
    kind: "line",
    name: "clone_addr",
    label: t("Address"),
    type: "url",
    required: true,
    autofocus: true,
    maxlength: 2048,
    placeholder: "https://example.org/owner/name.git",
    hint: t("An http or https URL that git can clone."),
  },
  {
    kind: "menu",
    name: "service",
    label: t("Repository to import"),
    hint: t("Issues, pull requests and releases can be imported from a server with the same API."),
    options: [
      ["git", t("Any git server")],
      ["gitea", t("Hearth, Gitea or Forgejo")],
      ["gogs", t("Gogs")],
    ],
  },
  {
    kind: "group",
    label: t("Credentials"),
    hint: t("Needed for private repositories, and to import more than git."),
    fields: [
      { kind: "line", name: "auth_username", label: t("Name"), maxlength: 255 },
      { kind: "line", name: "auth_password", label: t("Password"), type: "password", maxlength: 1024, autocomplete: "new-password" },
      {
        kind: "line",
        name: "auth_token",
        label: t("Access token (instead of a password)"),
        type: "password",
        maxlength: 1024,
        autocomplete: "new-password",
      },
    ],
  },
]

const RECORDS = [
  ["issues", t("Issues")],
  ["labels", t("Labels")],
  ["milestones", t("Milestones")],
  ["pull_requests", t("Pull requests")],
  ["releases", t("Releases")],
] as const

const fieldsOf = (owner: Field, hasLargeFiles: boolean): readonly Field[] => [
  ...source,
  {
    kind: "group",
    label: t("New repository"),
    fields: [
      owner,
      { kind: "line", name: "repo_name", label: t("Name"), required: true, maxlength: 100 },
      { kind: "line", name: "description", label: t("Description"), maxlength: 2048 },
      { kind: "box", name: "private", label: t("Private"), hint: t("Only people with access can see it.") },
      {
        kind: "box",
        name: "mirror",
        label: t("Mirror"),
        hint: t("Keeps synchronizing with the source repository, and is read-only here."),
      },
    ],
  },
  {
    kind: "group",
    label: t("Also import"),
    fields: [
      { kind: "box", name: "wiki", label: t("Wiki") },
      ...(hasLargeFiles ? [{ kind: "box", name: "lfs", label: t("Large files (Git LFS)") } as const] : []),
      ...RECORDS.map(([name, label]) => ({ kind: "box", name, label }) as const),
    ],
  },
]

const migrate: Page = page({
  id: "migration.new",
  address: "GET /repo/migrate",
  access: signedIn,
  query: {
    clone_addr: Type.Optional(Type.String()),
    owner: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
  },
  answer: async ({ services: { config }, db, me, query, draft }) => ({
    kind: "shown",
    title: t("Import a repository"),
    width: "narrow",
    unlisted: true,
    body: html`
      <h1>Import a repository</h1>
      ${
        config.migrations.enabled
          ? formView(begin, {
              draft,
              record: { clone_addr: query.clone_addr, repo_name: query.name },
              submit: t("Start import"),
              fields: fieldsOf(await ownerField(db, me, "repo_owner", query.owner), config.lfs.enabled),
            })
          : notice("info", t("Imports are disabled on this site. You can push an existing repository to a new one."))
      }
    `,
  }),
})

const begin = form({
  id: "migration.begin",
  address: "POST /repo/migrate",
  does: named(migrationOperations, "repoMigrate"),
  on: migrate,
  takes: [
    ...["clone_addr", "service", "auth_username", "auth_password", "auth_token", "repo_owner", "repo_name", "description"],
    ...["private", "mirror", "wiki", "lfs", ...RECORDS.map(([name]) => name)],
  ],
  query: () => ({ wait: "false" }),
  to: (done) => `${addressOfMade(done)}/import`,
  once: true,
})

const STEPS: Readonly<Record<string, Text>> = {
  git: t("Branches and tags"),
  large_files: t("Large files"),
  pull_requests: t("Pull requests"),
  release_files: t("Files of releases"),
}

const stepName = (name: string): Text => STEPS[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`

const LOOKS = {
  waiting: ["muted", "clock", t("Waiting")],
  running: ["pending", "sync", t("Importing")],
  done: ["success", "check", t("Done")],
  failed: ["failure", "x", t("Failed")],
} as const satisfies Readonly<Record<RepositoryImport["steps"][number]["state"], readonly [string, IconName, Text]>>

function stepRow({ name, state: at, done, total, missing }: RepositoryImport["steps"][number]): Html {
  const [tone, look, text] = LOOKS[at]
  const many = total === null ? `${done}` : t("{done} of {total}", { done, total })
  return html`
    <tr>
      <th scope="row">${stepName(name)}</th>
      <td>${state(tone, look, text)}</td>
      <td class="number">${name !== "git" && many}${missing > 0 && html`, ${missing} missing`}</td>
    </tr>
  `
}

const progress: Page = page({
  id: "migration.progress",
  address: "GET /{owner}/{repo}/import",
  access: onRepositoryAsAdministrator,
  answer: async (call) => {
    const { db, owner, repository, draft } = call
    const row = await findImportOf.first(db, { repositoryId: repository.id })
    if (!row) throw refuse.notFound()
    const record = presentImport(row)
    const isRunning = record.state === "running"
    return repositoryPage(call, {
      tab: "code",
      title: t("Import"),
      unlisted: true,
      modules: ["again"],
      body: html`
        <h1>Import</h1>
        <p class="muted break">From ${record.clone_addr}</p>
        <section class="stack" id="import" aria-live="polite" ${attribute("data-again", isRunning ? 2 : undefined)}>
          ${
            isRunning
              ? notice("info", t("The import continues if you leave this page."))
              : record.state === "done"
                ? notice("good", t("Import complete."))
                : notice("bad", html`It failed: ${record.error}`)
          }
          <div class="scrolls">
            <table class="data">
              <thead>
                <tr>
                  <th>Part</th>
                  <th>State</th>
                  <th class="number">Count</th>
                </tr>
              </thead>
              <tbody>${record.steps.map(stepRow)}</tbody>
            </table>
          </div>
          <p class="bar">
            ${
              isRunning
                ? html`<a class="button" href="${repositoryPath(call)}/import">Reload</a>`
                : html`<a class="button primary" href="${repositoryPath(call)}">Go to repository</a>`
            }
          </p>
          ${
            record.state === "failed" &&
            html`
              <h2>Try again</h2>
              ${formView(giveUp, {
                path: call.path,
                draft,
                look: "danger",
                submit: t("Delete and start over"),
                confirm: `${owner.name}/${repository.name}`,
                fields: [{ kind: "hidden", name: "clone_addr", value: record.clone_addr }],
              })}
            `
          }
        </section>
      `,
    })
  },
})

const giveUp = form({
  id: "migration.giveUp",
  address: "POST /{owner}/{repo}/import/delete",
  does: named(lifecycleOperations, "repoDelete"),
  on: progress,
  also: ["clone_addr"],
  confirms: ({ owner, repo }) => `${owner}/${repo}`,
  done: t("Repository deleted."),
  to: ({ path: { owner, repo }, field }) => withQuery(path("repo", "migrate"), { clone_addr: field("clone_addr"), owner, name: repo }),
})

export const migrationPages: readonly Page[] = [migrate, begin, progress, giveUp]
