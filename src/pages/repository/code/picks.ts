import { onEditableCode } from "../../../access/policies/code.ts"
import { requireUnarchived } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { type Draft, moved, type Page, page, type Shown } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { unixLines } from "../../../core/text/lines.ts"
import { findBranch, findBranches } from "../../../features/code/branches/store.ts"
import { commitById } from "../../../features/code/commits/revision.ts"
import { messageOf, pickCommit } from "../../../features/code/picks/rules.ts"
import { maintainedBranches } from "../../../features/code/pushes/maintainer-edits.ts"
import type { Commit } from "../../../git/index.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { formView } from "../../../web/form.ts"
import { commitPath, idLink, subjectOf } from "../../parts/code/commits-view.ts"
import type { OnEditor } from "../../parts/code/edit-target.ts"
import { repositoryPage } from "../frame.ts"
import { afterwards, messageOf as typedMessage } from "./after-commit.ts"
import { commitFields } from "./edit-view.ts"

/** A commit is made again on a branch, or taken back there: as a commit of the branch, or of a new one with a pull request. */

const access = onEditableCode(async (db, actor, on) => (await maintainedBranches(db, actor, on)).size > 0)
const text = Type.Optional(Type.String())
const FIELDS = ["branch", "new_branch", "message", "description"] as const
/** The most branches that are offered. */
const MOST_OFFERED = 100

const to = { id: "commit.pick", address: "/{owner}/{repo}/_cherrypick/{sha}/{branch}" } as const

export const pickPages: readonly Page[] = [
  page({
    id: "commit.picking",
    address: `GET ${to.address}`,
    access,
    changesWithTime: true,
    query: { revert: Type.Optional(Type.Boolean()), onto: text },
    answer: async (call) => {
      const { onto, revert } = call.query
      const commit = await commitById(call.services, call, call.path.sha)
      if (onto !== undefined && onto !== call.path.branch) {
        const isThere = await hasBranch(call, onto)
        const next = withQuery(pickPath(call, commit, isThere ? onto : call.path.branch), { revert: revert ? true : undefined })
        return moved(next, isThere ? {} : { flash: t("Branch {onto} not found.", { onto }) })
      }
      if (!(await hasBranch(call, call.path.branch))) throw refuse.notFound()
      return pickPage(call, commit, revert === true)
    },
  }),
  page({
    id: to.id,
    address: `POST ${to.address}`,
    access,
    once: true,
    query: { ...Object.fromEntries(FIELDS.map((name) => [name, text])), revert: text },
    again: async (call, refusal) => {
      const typed = Object.fromEntries(FIELDS.map((name) => [name, [sentIn(call.query, name)]]))
      const draft = { form: to.id, path: call.path, refusal, typed }
      return {
        ...(await pickPage(call, await commitById(call.services, call, call.path.sha), reverts(call.query), draft)),
        isPrivate: true,
      }
    },
    answer: async (call) => {
      requireUnarchived(call)
      const { services, actor, path, query } = call
      const field = (name: string): string => sentIn(query, name)
      const message = typedMessage({ message: [field("message")], description: [field("description")] }).message
      const wanted = { reverts: reverts(query), branch: path.branch, newBranch: field("new_branch"), message }
      await pickCommit(services, { actor, on: call }, await commitById(call.services, call, path.sha), wanted)
      const done = { path, field: (name: string) => (name === "branch" ? path.branch : field(name)) }
      return moved(afterwards(done, "commits", ""), { flash: t("Committed.") })
    },
  }),
]

const sentIn = (query: Readonly<Record<string, unknown>>, name: string): string => {
  const sent = query[name]
  return typeof sent === "string" ? unixLines(sent) : ""
}
const reverts = (query: Readonly<Record<string, unknown>>): boolean => query["revert"] === "true"

const pickPath = (call: OnEditor, { id }: Commit, branch: string): string =>
  `${repositoryPath(call)}/_cherrypick/${id}/${escapePath(branch)}`

const hasBranch = async ({ db, repository }: OnEditor, name: string): Promise<boolean> =>
  (await findBranch.first(db, { repositoryId: repository.id, name })) !== undefined

async function pickPage(call: OnEditor, commit: Commit, isRevert: boolean, draft?: Draft): Promise<Shown> {
  if (!draft) requireUnarchived(call)
  const { db, repository, path } = call
  const branch = path["branch"] ?? ""
  const [subject = "", ...rest] = messageOf(commit, isRevert).split("\n")
  const { rows } = await findBranches(db, repository.id, "", { number: 1, limit: MOST_OFFERED, offset: 0 })
  const verb = isRevert ? t("Revert") : t("Cherry-pick")
  return repositoryPage(call, {
    tab: "code",
    title: `${verb} ${subjectOf(commit)}`,
    unlisted: true,
    body: html`
      <h1>${verb} a commit</h1>
      <p>${idLink(call, commit.id)} <bdi>${subjectOf(commit)}</bdi></p>
      <p class="muted">
        ${isRevert ? t("Creates a commit that undoes its changes.") : t("Its changes are committed again, with the original author.")}
        ${commit.parents.length > 1 && t(" This is a merge commit: its changes are those against its first parent.")}
      </p>
      <form class="bar" action="${pickPath(call, commit, branch)}">
        ${isRevert && html`<input type="hidden" name="revert" value="true">`}
        <label for="pick-onto">On the branch</label>
        <datalist id="pick-branches">
          ${rows.map(({ name }) => html`<option value="${name}"></option>`)}
        </datalist>
        <input
          id="pick-onto"
          name="onto"
          list="pick-branches"
          value="${branch}"
          maxlength="255"
          required
          autocomplete="off"
          dir="auto"
        >
        <button>Use this branch</button>
      </form>
      ${formView(to, {
        path: { ...path, branch },
        draft,
        record: { message: subject, description: rest.join("\n").trim() },
        submit: verb,
        beside: html`<a class="button quiet" href="${commitPath(call, commit.id)}">Cancel</a>`,
        fields: [...(await commitFields(call, { branch }, subject)), { kind: "hidden", name: "revert", value: isRevert ? "true" : "" }],
      })}
    `,
  })
}
