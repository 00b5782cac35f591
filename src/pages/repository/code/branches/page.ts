import { Mode } from "../../../../access/modes.ts"
import type { Repository } from "../../../../access/permission.ts"
import { writesCode } from "../../../../access/policies/code.ts"
import { onRepositoryUnit, onRepositoryUnitRead } from "../../../../access/policies/repositories.ts"
import { refuse } from "../../../../core/errors.ts"
import { form } from "../../../../core/forms/form.ts"
import { flagged, type Html, html } from "../../../../core/html.ts"
import { t } from "../../../../core/language/message.ts"
import { named } from "../../../../core/operation.ts"
import { type Draft, type Page, page } from "../../../../core/page.ts"
import Type from "../../../../core/schema.ts"
import { branchOperations } from "../../../../features/code/branches/operations.ts"
import { type BranchRow, findBranch } from "../../../../features/code/branches/store.ts"
import { resolveRevision } from "../../../../features/code/commits/revision.ts"
import type { OnCode } from "../../../../features/code/contents/locate.ts"
import { branchesPage } from "../../../../features/code/history/branches.ts"
import { lifecycleOperations } from "../../../../features/code/lifecycle/operations.ts"
import { path, repositoryPath, withQuery } from "../../../../web/address.ts"
import { empty, filterForm, notice, pager } from "../../../../web/components.ts"
import { formButton, formView } from "../../../../web/form.ts"
import { icon } from "../../../../web/icon.ts"
import { comingFromField } from "../../../parts/code/revisions.ts"
import { repositoryPage } from "../../frame.ts"
import { branchesTable } from "./view.ts"

/** The list of branches, and what can be done with one: it is renamed, deleted and brought back, and made the default one. */

const list: Page = page({
  id: "branches.list",
  address: "GET /{owner}/{repo}/branches",
  access: onRepositoryUnitRead("code"),
  rows: 30,
  query: {
    q: Type.Optional(Type.String({ maxLength: 255 })),
    deleted: Type.Optional(Type.String({ maxLength: 255 })),
    commit: Type.Optional(Type.String({ pattern: "^[0-9a-f]{40,64}$" })),
    ...comingFromField,
  },
  answer: async (call) => {
    const { services, db, actor, query, page: rows, reader, draft, repository } = call
    const text = query.q?.trim() ?? ""
    const { branches, total, isComplete } = await branchesPage(services, db, actor, call, { text, page: rows })
    const at = `${repositoryPath(call)}/branches`
    const isWriter = writesCode(call)
    return repositoryPage(call, {
      tab: "code",
      title: t("Branches"),
      unlisted: true,
      body: html`
        <div class="bar">
          <h1>Branches</h1>
          ${isWriter && repository.is_empty === 0 && newBranch(repository, call.path, draft)}
        </div>
        ${filterForm(at, text, t("Search branches"), { path: query.path })}
        ${isWriter && query.deleted && query.commit && (await deletedNotice(call, query.deleted, query.commit))}
        ${
          branches.length > 0
            ? branchesTable(call, branches, { isSignedIn: actor.kind === "user", writes: isWriter, path: query.path })
            : text === ""
              ? empty("git-branch", t("No branches yet"), t("Push a branch to see it here."))
              : empty("git-branch", t("No branches found"), html`<a href="${at}">Show all branches</a>`)
        }
        ${!isComplete && html`<p class="muted small">Some branches are still being compared. Reload the page to see them.</p>`}
        ${pager(reader.url, rows, total)}
      `,
    })
  },
})

const newBranch = ({ default_branch }: Repository, path: Readonly<Record<string, string>>, draft: Draft | undefined): Html =>
  html`
    <details class="menu" ${flagged("open", draft !== undefined)}>
      <summary class="button primary">${icon("plus")}New branch</summary>
      ${formView(createBranchForm, {
        path,
        draft,
        submit: t("Create branch"),
        fields: [
          { kind: "line", name: "new_branch_name", label: t("Name"), required: true, maxlength: 100 },
          { kind: "line", name: "old_ref_name", label: t("From|branch"), value: default_branch, hint: t("A branch, a tag or a commit.") },
        ],
      })}
    </details>
  `

/** Says that a branch is gone, with a button that brings it back; nothing where that can't be, or is not so. */
async function deletedNotice(call: OnCode, name: string, commit: string): Promise<Html | undefined> {
  const { services, db, repository } = call
  if (await findBranch.first(db, { repositoryId: repository.id, name })) return undefined
  if ((await resolveRevision(services.git, repository, commit))?.kind !== "commit") return undefined
  const values = { owner: call.owner.name, repo: repository.name }
  return notice(
    "info",
    html`
      <div class="bar">
        <span>The branch <bdi class="strong">${name}</bdi> is deleted.</span>
        ${formButton(restore, values, html`${icon("history")}Restore`, { new_branch_name: name, old_ref_name: commit })}
      </div>
    `,
  )
}

const one: Page = page({
  id: "branches.edit",
  address: "GET /{owner}/{repo}/branches/edit/{branch}",
  access: onRepositoryUnit("code", "write"),
  answer: async (call) => {
    const { db, repository, permission, draft } = call
    const branch = await findBranch.first(db, { repositoryId: repository.id, name: call.path.branch })
    if (!branch || !writesCode(call)) throw refuse.notFound()
    const isDefault = branch.name === repository.default_branch
    const shown = { path: call.path, draft } as const
    return repositoryPage(call, {
      tab: "code",
      title: t("Branch {name}", { name: branch.name }),
      unlisted: true,
      body: html`
        <div class="bar">
          <h1>Branch <bdi>${branch.name}</bdi></h1>
          <a class="button small" href="${repositoryPath(call)}/branches">${icon("git-branch")}All branches</a>
        </div>
        <div class="settings">
          <h2 id="rename">Rename</h2>
          ${formView(rename, {
            ...shown,
            submit: t("Rename"),
            fields: [
              {
                kind: "line",
                name: "name",
                label: t("New name"),
                value: branch.name,
                required: true,
                maxlength: 100,
                hint: t("Open pull requests and branch protection rules follow, and links to the old name redirect."),
              },
            ],
          })}
          ${
            isDefault
              ? html`
                <p class="muted">
                  This is the default branch: it is shown first, is the base of new pull requests, and can't be
                  deleted.
                </p>
              `
              : [permission.mode >= Mode.admin && defaultPart(repository, branch, shown), deletePart(branch, shown)]
          }
        </div>
      `,
    })
  },
})

type InForms = Pick<Parameters<typeof formView>[1], "path" | "draft">

const defaultPart = ({ default_branch }: Repository, { name }: BranchRow, shown: InForms): Html =>
  html`
    <h2 id="default">Default branch</h2>
    ${formView(makeDefault, {
      ...shown,
      look: "plain",
      submit: t("Make default instead of {default_branch}", { default_branch }),
      fields: [{ kind: "hidden", name: "default_branch", value: name }],
    })}
  `

const deletePart = ({ commit_id }: BranchRow, shown: InForms): Html =>
  html`
    <h2 id="delete">Delete</h2>
    <p>It can be restored afterwards.</p>
    ${formView(remove, {
      ...shown,
      look: "danger",
      submit: t("Delete branch"),
      fields: [{ kind: "hidden", name: "commit", value: commit_id }],
    })}
  `

const creates = {
  does: named(branchOperations, "repoCreateBranch"),
  on: list,
  takes: ["new_branch_name", "old_ref_name"],
  // What it begins with may be missing: a problem of the form.
  picks: (values: Readonly<Record<string, string>>) => values,
} as const

/** With `here`, a path, it leads to it on the new branch, as the menu of branches asks for. */
export const createBranchForm = form({
  ...creates,
  id: "branches.create",
  address: "POST /{owner}/{repo}/branches",
  also: ["here"],
  once: true,
  done: t("Branch created."),
  to: ({ path: { owner, repo }, field }) =>
    field("here") === ""
      ? path(owner, repo, "branches")
      : path(
          owner,
          repo,
          "src",
          "branch",
          ...[field("new_branch_name"), field("here")]
            .join("/")
            .split("/")
            .filter((part) => part !== ""),
        ),
})
const restore = form({
  ...creates,
  id: "branches.restore",
  address: "POST /{owner}/{repo}/branches/restore",
  once: true,
  done: t("Branch restored."),
})

const rename = form({
  id: "branches.rename",
  address: "POST /{owner}/{repo}/branches/edit/{branch}",
  does: named(branchOperations, "repoRenameBranch"),
  on: one,
  takes: ["name"],
  done: t("Renamed."),
  to: ({ path: { owner, repo } }) => path(owner, repo, "branches"),
})

const makeDefault = form({
  id: "branches.default",
  address: "POST /{owner}/{repo}/branches/default/{branch}",
  does: named(lifecycleOperations, "repoEdit"),
  on: one,
  takes: ["default_branch"],
  done: t("Default branch changed."),
})

const remove = form({
  id: "branches.delete",
  address: "POST /{owner}/{repo}/branches/delete/{branch}",
  does: named(branchOperations, "repoDeleteBranch"),
  on: one,
  also: ["commit"],
  to: ({ path: { owner, repo, branch }, field }) => withQuery(path(owner, repo, "branches"), { deleted: branch, commit: field("commit") }),
})

export const branchPages: readonly Page[] = [list, one, createBranchForm, restore, rename, makeDefault, remove]
