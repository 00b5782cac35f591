import { Mode } from "../../../access/modes.ts"
import { writesKind } from "../../../access/policies/issues.ts"
import { mayBook } from "../../../access/policies/tracking.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Page as ListPage } from "../../../core/operation.ts"
import { viewWithHidden } from "../../../features/planning/dependencies/present.ts"
import { findBlocked, findDependencies } from "../../../features/planning/dependencies/store.ts"
import { findCandidateAssignees } from "../../../features/planning/issues/assignable.ts"
import { findColumnsOfIssue, findParticipants, findTimeSpent } from "../../../features/planning/issues/beside-store.ts"
import { findOffered, type Offered } from "../../../features/planning/issues/filter-store.ts"
import { type IssueView, viewIssues } from "../../../features/planning/issues/present.ts"
import { isSubscribed } from "../../../features/planning/subscriptions/rules.ts"
import { findStopwatch, findTimes, ofIssue } from "../../../features/planning/tracking/store.ts"
import { path, repositoryPath, withQuery } from "../../../web/address.ts"
import { label, personWithAvatar } from "../../../web/components.ts"
import { formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { dayOf, plural } from "../../../web/time.ts"
import { beforeDeletion } from "../deleted.ts"
import { homeName } from "../issues/list-view.ts"
import { labelsCreatedAt, labelsField, milestoneField, peopleField, projectsField } from "../picker.ts"
import type { ConversationCall } from "./call.ts"
import type { ConversationForms } from "./forms.ts"
import { faces, mention } from "./mention.ts"
import { type Choices, change, opened, pick, type Side, sideSection } from "./side-section.ts"
import { timeSection } from "./side-time.ts"
import { TRANSFER, transferForm } from "./transfer-form.ts"

/** What is beside a conversation: what the issue is, and the forms that change it. */

/** The most dependencies that are shown each way, and times. */
const SHOWN: ListPage = { number: 1, limit: 20, offset: 0 }

const NOTHING: Offered = { labels: [], milestones: [], projects: [] }

async function choicesOf(call: ConversationCall): Promise<Choices> {
  const { db, actor, repository, owner, issue } = call
  const me = actor.kind === "user" ? actor.user : undefined
  const isOpen = me !== undefined && repository.is_archived === 0
  const writes = isOpen && writesKind(call, issue)
  const books = isOpen && (await mayBook(db, call, issue, me))
  return {
    me,
    writes,
    books,
    offered: writes ? await findOffered(db, actor, { repository, owner }) : NOTHING,
    candidates: writes ? await findCandidateAssignees(db, { repository, owner }) : [],
    times: books ? (await findTimes(db, ofIssue(issue.id), { userId: me.id }, SHOWN)).rows : [],
    running: me && writes ? (await findStopwatch.first(db, { issueId: issue.id, userId: me.id }))?.created_at : undefined,
    isSubscribed: me !== undefined && (await isSubscribed(db, issue, me)),
  }
}

export async function sideOf(call: ConversationCall, view: IssueView, forms: ConversationForms): Promise<Html> {
  const { db, actor, repository, issue } = call
  const columns = new Map((await findColumnsOfIssue(db, { issueId: issue.id })).map(({ project_id, title }) => [project_id, title]))
  const participants = await findParticipants(db, { issueId: issue.id })
  const spent = await findTimeSpent(db, { issueId: issue.id })
  const hasDependencies = repository.enable_issue_dependencies === 1
  const dependencies = hasDependencies ? await viewWithHidden(db, actor, (await findDependencies(db, issue, SHOWN)).rows) : []
  const blocked = hasDependencies ? await viewIssues(db, actor, (await findBlocked(db, actor, issue, SHOWN)).rows) : []
  const choices = await choicesOf(call)
  const side: Side = { call, view, forms, choices, at: repositoryPath(call) }
  const reference = `${homeName(view)}${issue.is_pull === 1 ? "!" : "#"}${issue.number}`
  return html`
    ${assigneesSection(side)}${labelsSection(side)}${milestoneSection(side)}${projectsSection(side, columns)}
    ${dueSection(side)}${timeSection(side, spent)}
    ${hasDependencies && dependenciesSection(side, dependencies)}
    ${
      blocked.length > 0 &&
      sideSection(
        t("Blocks"),
        issueList(blocked, () => undefined),
      )
    }
    ${branchSection(side)}${notificationsSection(side)}
    ${sideSection(plural(participants.length, "participant"), faces(participants))}
    ${sideSection(t("Reference"), html`<p><code>${reference}</code></p>`, {
      change: choices.writes && issue.is_pull === 0 && opened(call, TRANSFER, t("Transfer issue"), transferForm(call)),
    })}
    ${administration(side)}
  `
}

function assigneesSection(side: Side): Content {
  const { call, view, forms, choices } = side
  const { writes, me } = choices
  return sideSection(
    t("Assignees"),
    view.assignees.length > 0 &&
      html`
        <ul class="plain">
          ${view.assignees.map((user) => html`<li>${personWithAvatar(user)}</li>`)}
        </ul>
      `,
    {
      none: t("No one assigned"),
      change:
        writes &&
        html`
          ${
            me &&
            !view.assignees.some(({ id }) => id === me.id) &&
            choices.candidates.some(({ id }) => id === me.id) &&
            formButton(forms.assignMe, call.path, t("Assign yourself"), { assignees: me.name })
          }
          ${pick(side, forms.assignees, t("Edit assignees"), peopleField(choices.candidates, view.assignees), t("Filter people"))}
        `,
    },
  )
}

function labelsSection(side: Side): Content {
  const { call, view, forms, choices, at } = side
  const list = `${at}/${call.issue.is_pull === 1 ? "pulls" : "issues"}`
  return sideSection(
    t("Labels"),
    view.labels.length > 0 &&
      html`
        <p class="bar">
          ${view.labels.map(({ name, color, description }) =>
            label(name, color, { title: description, href: withQuery(list, { q: `is:open label:"${name}"` }) }),
          )}
        </p>
      `,
    {
      change:
        choices.writes &&
        pick(
          side,
          forms.labels,
          t("Edit labels"),
          labelsField(choices.offered.labels, view.labels, at),
          t("Filter labels"),
          labelsCreatedAt(at),
        ),
    },
  )
}

function milestoneSection(side: Side): Content {
  const { view, forms, choices, at } = side
  const { milestone } = view
  return sideSection(
    t("Milestone"),
    milestone
      ? html`
        <p><a class="strong" href="${at}/milestone/${milestone.id}"><bdi>${milestone.title}</bdi></a></p>
        <progress
          value="${milestone.closed_issues_count}"
          max="${Math.max(1, milestone.closed_issues_count + milestone.open_issues_count)}"
          aria-label="${milestone.closed_issues_count} of ${milestone.closed_issues_count + milestone.open_issues_count} closed"
        >
        </progress>
      `
      : undefined,
    {
      change:
        choices.writes &&
        pick(
          side,
          forms.milestone,
          t("Edit milestone"),
          milestoneField(choices.offered.milestones, milestone ?? undefined),
          t("Filter milestones"),
        ),
    },
  )
}

function projectsSection(side: Side, columns: ReadonlyMap<number, string>): Content {
  const { call, view, forms, choices } = side
  const present = view.projects.map(({ project }) => project)
  const offered = choices.offered.projects
  return (
    call.repository.has_projects === 1 &&
    sideSection(
      t("Projects"),
      view.projects.length > 0 &&
        html`
          <ul class="plain">
            ${view.projects.map(
              ({ project: { id, title }, at: { owner, repository } }) =>
                html`
                  <li>
                    ${icon("project")} <a href="${path(owner.name, repository?.name ?? "-", "projects", id)}"><bdi>${title}</bdi></a>
                    ${columns.has(id) && html` <span class="chip"><bdi>${columns.get(id)}</bdi></span>`}
                  </li>
                `,
            )}
          </ul>
        `,
      {
        change:
          choices.writes &&
          offered.length + present.length > 0 &&
          pick(side, forms.projects, t("Edit projects"), projectsField(offered, present), t("Filter projects")),
      },
    )
  )
}

function dueSection(side: Side): Content {
  const { call, forms, choices } = side
  const { writes } = choices
  const { due_at, is_closed } = call.issue
  const isOverdue = due_at > 0 && is_closed === 0 && due_at < call.services.now()
  return (
    (due_at > 0 || writes) &&
    sideSection(
      t("Due date"),
      due_at > 0 &&
        html`
          <p class="${isOverdue ? "closed" : ""}">
            ${icon("calendar")} ${dayOf(due_at)}${isOverdue && t(" (overdue)")}
          </p>
        `,
      {
        change:
          writes &&
          change(side, forms.due, t("Edit due date"), {
            kind: "line",
            name: "due_date",
            label: t("Due"),
            type: "date",
            value: due_at > 0 ? new Date(due_at * 1000).toISOString().slice(0, 10) : "",
            hint: t("Leave empty for none."),
          }),
      },
    )
  )
}

function dependenciesSection({ call, forms, choices }: Side, dependencies: readonly (IssueView | undefined)[]): Content {
  const { writes } = choices
  return (
    (dependencies.length > 0 || writes) &&
    sideSection(t("Blocked by"), dependencies.length > 0 && issueList(dependencies, (other) => writes && untie(call, forms, other)), {
      none: t("None"),
      change:
        writes &&
        opened(
          call,
          forms.depend,
          t("Add a dependency"),
          formView(forms.depend, {
            path: call.path,
            draft: call.draft,
            submit: t("Add"),
            look: "small",
            fields: [
              { kind: "line", name: "issue", label: t("Issue"), placeholder: "#3", hint: t("This issue can't be closed before that one.") },
              { kind: "hidden", name: "owner", value: call.owner.name },
              { kind: "hidden", name: "repo", value: call.repository.name },
            ],
          }),
        ),
    })
  )
}

function branchSection({ call }: Side): Content {
  return (
    call.issue.ref !== "" &&
    sideSection(
      t("Branch"),
      html`<p>${icon("git-branch")} <code><bdi>${call.issue.ref.replace(/^refs\/(?:heads|tags)\//, "")}</bdi></code></p>`,
    )
  )
}

function notificationsSection({ call, forms, choices }: Side): Content {
  const { me } = choices
  return (
    me &&
    sideSection(
      t("Notifications"),
      html`
        <p class="small">${choices.isSubscribed ? t("You are subscribed.") : t("You are not subscribed.")}</p>
        ${formButton(
          choices.isSubscribed ? forms.unsubscribe : forms.subscribe,
          { ...call.path, user: me.name },
          choices.isSubscribed ? html`${icon("bell-slash")}Unsubscribe` : html`${icon("bell")}Subscribe`,
        )}
      `,
    )
  )
}

/** What waits, or is waited for. One that the reader may not see is there, but not shown. */
const issueList = (issues: readonly (IssueView | undefined)[], after: (view: IssueView) => Content): Html =>
  html`
    <ul class="plain small">
      ${issues.map(
        (view) =>
          html`
            <li class="break">
              ${view ? html`${mention(view)}${after(view)}` : html`<span class="muted">${icon("lock")} a private issue</span>`}
            </li>
          `,
      )}
    </ul>
  `

const untie = (call: ConversationCall, forms: ConversationForms, { issue: { number }, home }: IssueView): Html =>
  formButton(forms.undepend, call.path, icon("x", t("Remove the dependency on #{number}", { number })), {
    owner: home.owner.name,
    repo: home.repository.name,
    index: String(number),
  })

/** What administrators of the repository do. */
function administration({ call, forms }: Side): Content {
  const { actor, permission, repository, issue, path, draft } = call
  if (actor.kind === "anonymous" || permission.mode < Mode.admin || repository.is_archived === 1) return undefined
  return sideSection(
    t("Administration"),
    html`
      <div class="bar">
        ${
          issue.pin_order > 0
            ? formButton(forms.unpin, path, html`${icon("pin-slash")}Unpin`)
            : formButton(forms.pin, path, html`${icon("pin")}Pin`)
        }
        ${issue.is_locked === 1 && formButton(forms.unlock, path, html`${icon("unlock")}Unlock`)}
      </div>
      ${
        issue.is_locked === 0 &&
        opened(
          call,
          forms.lock,
          t("Lock the conversation"),
          formView(forms.lock, {
            path,
            draft,
            submit: html`${icon("lock")}Lock`,
            look: "small",
            fields: [
              {
                kind: "menu",
                name: "lock_reason",
                label: t("Reason"),
                hint: t("Only people with write access will be able to comment."),
                options: [
                  ["", t("No reason")],
                  ["Off-topic", t("Off-topic")],
                  ["Too heated", t("Too heated")],
                  ["Resolved", t("Resolved")],
                  ["Spam", t("Spam")],
                ],
              },
            ],
          }),
        )
      }
      ${removal(call, forms)}
    `,
  )
}

const removal = (call: ConversationCall, forms: ConversationForms): Content =>
  opened(
    call,
    forms.remove,
    call.issue.is_pull === 1 ? t("Delete this pull request") : t("Delete this issue"),
    formView(forms.remove, {
      path: call.path,
      draft: call.draft,
      look: "danger",
      submit: t("Delete"),
      confirm: `#${call.issue.number}`,
      fields: [{ kind: "content", content: html`<div class="small"><p>This deletes all its comments.</p>${beforeDeletion(call)}</div>` }],
    }),
  )
