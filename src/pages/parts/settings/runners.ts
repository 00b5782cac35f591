import { onRepositoryAsOwner } from "../../../access/policies/repositories.ts"
import { memberOf } from "../../../core/check.ts"
import { addressOf, sketch } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Draft, type Page, page, type Shown } from "../../../core/page.ts"
import { oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { runnerOperations } from "../../../features/actions/runners/operations.ts"
import type { ActionRunner } from "../../../features/actions/runners/records.ts"
import { presentRunner } from "../../../features/actions/runners/rules.ts"
import { findRunners, type Runner } from "../../../features/actions/runners/store.ts"
import { empty, notice, pager, rowsOr, state, toCopy } from "../../../web/components.ts"
import { formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { time } from "../../../web/time.ts"
import { commandView, labelsIn, modeChoice, RUN_MODES, type RunMode, runnerCommand } from "./runner-command.ts"
import { inEveryScope, type SettingsScope } from "./scopes.ts"

/** The machines that run jobs, of a repository, an organisation, a person and the site: the same page in each scope. */

const stateOf = ({ status, busy, disabled }: ActionRunner): Html =>
  disabled
    ? state("neutral", "circle-slash", t("Disabled"))
    : status === "offline"
      ? state("neutral", "no-entry", t("Offline"))
      : busy
        ? state("running", "dot-fill", t("Busy"))
        : state("success", "check-circle", t("Idle"))

const scopeOf = ({ repository_id, owner_id }: Runner): Text =>
  repository_id !== null ? t("Of a repository") : owner_id !== null ? t("Of a person or organization") : t("Of the site")

interface Shows {
  readonly path: Readonly<Record<string, string>>
  readonly record: unknown
  readonly field: (name: string) => string
}

const runnerForms = (scope: SettingsScope) => {
  const { id, name, at } = scope
  const address = `${at}/actions/runners` as const
  const shows = ({ path, record, field }: Shows) => {
    const mode = RUN_MODES.find((each) => each === field("mode")) ?? "host"
    // What the page itself has written there; nothing of it is stored.
    const instance = /^https?:\/\/[\w.:[\]/-]+$/.test(field("instance")) ? field("instance") : "ADDRESS"
    const token = String(memberOf(record, "token"))
    const command = runnerCommand({ instance, token, mode, labels: labelsIn(field("labels")) })
    return tokenPage({ command, token }, scope.whose, addressOf({ address }, path))
  }
  return {
    token: sketch({
      id: `${id}Runners.token`,
      address: `POST ${address}/token`,
      does: named(runnerOperations, `${id}CreateRunnerRegistrationToken`),
      also: ["mode", "labels", "instance"],
      shows,
    }),
    rotate: sketch({
      id: `${id}Runners.rotateToken`,
      address: `POST ${address}/token/rotate`,
      does: named(runnerOperations, `${id}RotateRunnerRegistrationToken`),
      also: ["mode", "labels", "instance"],
      shows,
    }),
    edit: sketch({
      id: `${id}Runners.switch`,
      address: `POST ${address}/{runner_id}`,
      does: named(runnerOperations, `update${name}Runner`),
      takes: ["disabled"],
      done: t("Saved."),
    }),
    remove: sketch({
      id: `${id}Runners.delete`,
      address: `POST ${address}/{runner_id}/delete`,
      does: named(runnerOperations, `delete${name}Runner`),
      done: t("Runner removed."),
    }),
  }
}

type Forms = ReturnType<typeof runnerForms>

interface Token {
  readonly command: string
  readonly token: string
}

const tokenPage = ({ command, token }: Token, whose: Text, list: string): Shown => ({
  kind: "shown",
  title: t("Add a runner"),
  width: "narrow",
  unlisted: true,
  isPrivate: true,
  body: html`
    <h1>Add a runner</h1>
    <p>On the machine that is to run jobs: this makes it a runner ${whose}. The token in it registers any number of runners.</p>
    ${commandView(command)}
    <p>For a runner that is set up in another way, the token alone:</p>
    ${toCopy(token, t("Copy the token"))}
    ${notice("warn", t("Anyone with this token can add a runner, which sees the code and the secrets of its jobs."))}
    <p><a class="button" href="${list}">Back to runners</a></p>
  `,
})

const listPage = (scope: SettingsScope, forms: Forms): Page =>
  page({
    id: `${scope.id}Runners.list`,
    address: `GET ${scope.at}/actions/runners`,
    access: scope.access,
    // Whether one is online is a matter of the clock.
    changesWithTime: true,
    query: { mode: Type.Optional(oneOf(RUN_MODES)), labels: Type.Optional(Type.String()) },
    answer: async ({ services, db, path, page: rows, reader, draft, owning, framed, query }) => {
      const { rows: runners, total } = await findRunners(db, owning, undefined, rows)
      const row = (each: Runner): Html => runnerRow(each, { path, forms, now: services.now(), isOfSite: scope.id === "admin" })
      return framed({
        part: "runners",
        title: t("Runners"),
        body: html`
          <h1>Runners</h1>
          <p class="muted">
            ${
              scope.id === "admin"
                ? t("All runners of this site, its organizations, users and repositories.")
                : html`Runners run the jobs of workflows. Runners of the site are used too; only those ${scope.whose} are listed.`
            }
          </p>
          ${rowsOr(
            runners,
            row,
            empty("server", t("No runners"), t("Runners are listed here once they have registered.")),
            pager(reader.url, rows, total),
          )}
          ${registering(forms, { path, draft, url: reader.url, instance: services.site.rootUrl, ...query })}
        `,
      })
    },
  })

interface Registering {
  readonly path: Readonly<Record<string, string>>
  readonly draft: Draft | undefined
  readonly url: string
  readonly instance: string
  readonly mode?: RunMode
  readonly labels?: string
}

/** How a machine becomes a runner, for jobs with these labels. */
function registering(forms: Forms, { path, draft, url, instance, mode = "host", labels: asked }: Registering): Html {
  const labels = labelsIn(asked)
  const fields = [
    { kind: "hidden", name: "mode", value: mode },
    { kind: "hidden", name: "labels", value: labels.join(",") },
    { kind: "hidden", name: "instance", value: instance },
  ] as const
  return html`
    <h2 id="register">Add a runner</h2>
    <p>
      A runner is a program on a machine of yours. It takes the jobs whose <code>runs-on</code> it has as a label:
      ${labels.map((name) => html` <span class="chip"><bdi>${name}</bdi></span>`)}
    </p>
    ${modeChoice(url, mode)}
    ${formView(forms.token, { path, draft, submit: t("Show the commands"), fields })}
    <p class="muted">If the token in them may have leaked, replace it: the old one stops working. Registered runners stay.</p>
    ${formView(forms.rotate, { path, draft, submit: t("Replace token"), look: "danger", fields })}
  `
}

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
          <span>${row.online_at > 0 ? html`last seen ${time(row.online_at, now)}` : t("never seen")}</span>
        </p>
      </div>
      ${formButton(edit, its, html`${runner.disabled ? t("Enable") : t("Disable")}${which}`, { disabled: String(!runner.disabled) })}
      ${formButton(remove, its, html`Delete${which}`)}
    </li>
  `
}

export const runnerPages: readonly Page[] = inEveryScope(onRepositoryAsOwner, (scope) => {
  const forms = runnerForms(scope)
  const list = listPage(scope, forms)
  return [list, ...Object.values(forms).map((form) => form.on(list))]
})
