import { onRepositoryAsOwner } from "../../../access/policies/repositories.ts"
import { memberOf } from "../../../core/check.ts"
import { addressOf, sketch } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import type { Text } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Page, page, type Shown } from "../../../core/page.ts"
import { runnerOperations } from "../../../features/actions/runners/operations.ts"
import type { ActionRunner } from "../../../features/actions/runners/records.ts"
import { presentRunner } from "../../../features/actions/runners/rules.ts"
import { findRunners, type Runner } from "../../../features/actions/runners/store.ts"
import { empty, notice, pager, rowsOr, state } from "../../../web/components.ts"
import { formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { time } from "../../../web/time.ts"
import { inEveryScope, type SettingsScope } from "./scopes.ts"

/** The machines that run jobs, of a repository, an organisation, a person and the site: the same page in each scope. */

const stateOf = ({ status, busy, disabled }: ActionRunner): Html =>
  disabled
    ? state("neutral", "circle-slash", "Disabled")
    : status === "offline"
      ? state("neutral", "no-entry", "Offline")
      : busy
        ? state("running", "dot-fill", "Busy")
        : state("success", "check-circle", "Idle")

const scopeOf = ({ repository_id, owner_id }: Runner): Text =>
  repository_id !== null ? "Of a repository" : owner_id !== null ? "Of a person or organization" : "Of the site"

const runnerForms = (scope: SettingsScope) => {
  const { id, name, at } = scope
  const address = `${at}/actions/runners` as const
  const shows = ({ path, record }: { readonly path: Readonly<Record<string, string>>; readonly record: unknown }) =>
    tokenPage(String(memberOf(record, "token")), scope.whose, addressOf({ address }, path))
  return {
    token: sketch({
      id: `${id}Runners.token`,
      address: `POST ${address}/token`,
      does: named(runnerOperations, `${id}CreateRunnerRegistrationToken`),
      shows,
    }),
    rotate: sketch({
      id: `${id}Runners.rotateToken`,
      address: `POST ${address}/token/rotate`,
      does: named(runnerOperations, `${id}RotateRunnerRegistrationToken`),
      shows,
    }),
    edit: sketch({
      id: `${id}Runners.switch`,
      address: `POST ${address}/{runner_id}`,
      does: named(runnerOperations, `update${name}Runner`),
      takes: ["disabled"],
      done: "Saved.",
    }),
    remove: sketch({
      id: `${id}Runners.delete`,
      address: `POST ${address}/{runner_id}/delete`,
      does: named(runnerOperations, `delete${name}Runner`),
      done: "Runner removed.",
    }),
  }
}

type Forms = ReturnType<typeof runnerForms>

const tokenPage = (token: string, whose: Text, list: string): Shown => ({
  kind: "shown",
  title: "Registration token",
  width: "narrow",
  unlisted: true,
  isPrivate: true,
  body: html`
    <h1>Registration token</h1>
    <p>Use it to register any number of runners ${whose}.</p>
    <pre tabindex="0" aria-label="The token"><code>${token}</code></pre>
    ${notice("warn", "Anyone with this token can add a runner, which sees the code and the secrets of its jobs.")}
    <p><a href="${list}">Back to runners</a></p>
  `,
})

const listPage = (scope: SettingsScope, forms: Forms): Page =>
  page({
    id: `${scope.id}Runners.list`,
    address: `GET ${scope.at}/actions/runners`,
    access: scope.access,
    // Whether one is online is a matter of the clock.
    changesWithTime: true,
    answer: async ({ services, db, path, page: rows, reader, draft, owning, framed }) => {
      const { rows: runners, total } = await findRunners(db, owning, undefined, rows)
      const row = (each: Runner): Html => runnerRow(each, { path, forms, now: services.now(), isOfSite: scope.id === "admin" })
      return framed({
        part: "runners",
        title: "Runners",
        body: html`
          <h1>Runners</h1>
          <p class="muted">
            ${
              scope.id === "admin"
                ? "All runners of this site, its organizations, users and repositories."
                : html`Runners run the jobs of workflows. Runners of the site are used too; only those ${scope.whose} are listed.`
            }
          </p>
          ${rowsOr(
            runners,
            row,
            empty("server", "No runners", "Runners are listed here once they have registered."),
            pager(reader.url, rows, total),
          )}
          <h2 id="register">Add a runner</h2>
          <p>A runner registers with a token, on its own machine:</p>
          <pre tabindex="0" aria-label="How a runner registers">
            <code>act_runner register --instance ${services.site.rootUrl} --token TOKEN</code>
          </pre>
          ${formView(forms.token, { path, draft, submit: "Show registration token", look: "plain" })}
          <p class="muted">
            If the token may have leaked, replace it: the old one stops working. Registered runners stay.
          </p>
          ${formView(forms.rotate, { path, draft, submit: "Replace token", look: "danger" })}
        `,
      })
    },
  })

interface About {
  readonly path: Readonly<Record<string, string>>
  readonly forms: Forms
  readonly now: number
  readonly isOfSite: boolean
}

function runnerRow(row: Runner, { path, forms: { edit, remove }, now, isOfSite }: About): Html {
  const runner = presentRunner(row, now)
  const its = { ...path, runner_id: String(runner.id) }
  const which = html`<span class="hidden-text"> ${runner.name}</span>`
  return html`
    <li>
      ${icon("server")}
      <div class="main">
        <h2 class="title">
          <bdi>${runner.name}</bdi>
          ${runner.labels.map((each) => html` <span class="chip"><bdi>${each.name}</bdi></span>`)}
        </h2>
        <p class="meta">
          ${stateOf(runner)}${runner.ephemeral && html`<span>For one job</span>`}
          ${isOfSite && html`<span>${scopeOf(row)}</span>`}
          <span>${row.online_at > 0 ? html`last seen ${time(row.online_at, now)}` : "never seen"}</span>
        </p>
      </div>
      ${formButton(edit, its, html`${runner.disabled ? "Enable" : "Disable"}${which}`, { disabled: String(!runner.disabled) })}
      ${formButton(remove, its, html`Delete${which}`)}
    </li>
  `
}

export const runnerPages: readonly Page[] = inEveryScope(onRepositoryAsOwner, (scope) => {
  const forms = runnerForms(scope)
  const list = listPage(scope, forms)
  return [list, ...Object.values(forms).map((form) => form.on(list))]
})
