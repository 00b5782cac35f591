import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { memberOf } from "../../../core/check.ts"
import { refuse } from "../../../core/errors.ts"
import { addressOf, sketch, type Typed } from "../../../core/forms/form.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import type { Owning } from "../../../core/owner-scope.ts"
import { numberIn, type Page, page } from "../../../core/page.ts"
import type { Switch } from "../../../features/actions/external/names.ts"
import { webhookOperations } from "../../../features/events/webhooks/operations.ts"
import { presentHook, requestOf, responseOf } from "../../../features/events/webhooks/present.ts"
import { TYPES } from "../../../features/events/webhooks/records.ts"
import { findDeliveries, findDelivery, findWebhook, findWebhooks, type HookOwner } from "../../../features/events/webhooks/store.ts"
import { empty, menu, pager, rowsOr } from "../../../web/components.ts"
import { formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { inEveryScope, type SettingsScope } from "./scopes.ts"
import {
  CONFIG_FIELDS,
  deliveryFacts,
  deliveryTable,
  EVENT_FIELDS,
  isType,
  requestView,
  responseView,
  SLACK_FIELDS,
  typeName,
  webhookFields,
  webhookHeader,
  webhookRow,
} from "./webhooks-view.ts"

/** Webhooks of a repository, an organisation, a person and the site: the same pages in each scope. */

const ownerOf = (owning: Owning): HookOwner => (owning.of === "site" ? { of: "site", sort: "all" } : owning)

/** Of these the API's word stands for all of their kind. */
const ONLY: Partial<Readonly<Record<Switch, string>>> = { issues: "issues_only", pull_request: "pull_request_only" }
const isShort = (name: string): name is "issues" | "pull_request" => name in ONLY

/** The body as the fields say it: an empty field of a secret keeps what is set, and the box beside it removes it. */
function bodyOf(body: Readonly<Record<string, unknown>>, typed: Typed): Readonly<Record<string, unknown>> {
  const { authorization_header: _, ...rest } = body
  const first = (name: string): string => typed[name]?.[0] ?? ""
  const events = EVENT_FIELDS.flatMap((name) => typed[name] ?? [])
  if (events.length === 0) throw refuse.invalid(EVENT_FIELDS[0] ?? "", "Choose at least one event.")
  const config = [...CONFIG_FIELDS, ...SLACK_FIELDS].flatMap((name) => {
    const value = typed[name]?.[0]
    const isKept = name === "config.secret" && value === "" && first("drop_secret") === ""
    return value === undefined || isKept ? [] : [[name.slice("config.".length), value.trim()] as const]
  })
  const header = first("authorization_header").trim()
  return {
    ...rest,
    events: events.map((name) => (isShort(name) ? ONLY[name] : name)),
    config: Object.fromEntries(config),
    ...(header !== "" || first("drop_authorization") !== "" ? { authorization_header: header } : {}),
  }
}

const ALSO = [...CONFIG_FIELDS, ...SLACK_FIELDS, ...EVENT_FIELDS, "drop_secret", "drop_authorization"] as const
const TAKES = ["name", "branch_filter", "authorization_header", "active"] as const

/** What leads to the list. */
const listOf = ({ id, at }: SettingsScope) => ({ id: `${id}Hooks.list`, address: `${at}/hooks` }) as const

/** The forms; those of a webhook stand on the page `shown`, and so on. */
const webhookForms = (scope: SettingsScope) => {
  const { id, at } = scope
  const does = (what: string) => named(webhookOperations, `${id}${what}`)
  return {
    create: sketch({
      id: `${id}Hooks.create`,
      address: `POST ${at}/hooks/{type}/new`,
      does: does("CreateHook"),
      takes: ["type", ...TAKES, ...(id === "admin" ? ["is_system_webhook"] : [])],
      also: ALSO,
      body: bodyOf,
      once: true,
      done: t("Webhook added."),
      to: ({ path, record }) => `${addressOf(listOf(scope), path)}/${String(memberOf(record, "id"))}`,
    }),
    edit: sketch({
      id: `${id}Hooks.save`,
      address: `POST ${at}/hooks/{id}`,
      does: does("EditHook"),
      reads: does("GetHook"),
      guards: ["name", "branch_filter"],
      takes: TAKES,
      also: ALSO,
      body: bodyOf,
      done: t("Saved."),
    }),
    remove: sketch({
      id: `${id}Hooks.delete`,
      address: `POST ${at}/hooks/{id}/delete`,
      does: does("DeleteHook"),
      done: t("Webhook deleted."),
      to: ({ path }) => addressOf(listOf(scope), path),
    }),
    // A test is a push of a repository, so that only those of repositories have one.
    test:
      id === "repo" &&
      sketch({
        id: `${id}Hooks.test`,
        address: `POST ${at}/hooks/{id}/test`,
        does: does("TestHook"),
        done: t("Test delivery queued. An empty repository sends none."),
      }),
    redeliver: sketch({
      id: `${id}Hooks.redeliver`,
      address: `POST ${at}/hooks/{id}/deliveries/{delivery_id}/redeliver`,
      does: does("RedeliverHookDelivery"),
      done: t("Redelivered with the same id."),
    }),
  }
}

type Forms = ReturnType<typeof webhookForms>

const listPage = (scope: SettingsScope): Page =>
  page({
    id: `${scope.id}Hooks.list`,
    address: `GET ${scope.at}/hooks`,
    access: scope.access,
    answer: async ({ db, path, page: rows, reader, owning, framed }) => {
      const { rows: webhooks, total } = await findWebhooks(db, ownerOf(owning), rows)
      const here = addressOf(listOf(scope), path)
      const add = menu(
        html`${icon("plus")}Add a webhook`,
        TYPES.map((type) => html`<a href="${here}/${type}/new">${typeName(type)}</a>`),
        { name: "button primary" },
      )
      return framed({
        part: "webhooks",
        title: t("Webhooks"),
        body: html`
          <div class="bar">
            <h1>Webhooks</h1>
            <div class="end">${add}</div>
          </div>
          <p class="muted">Webhooks notify other services of events with an HTTP request.</p>
          ${rowsOr(
            webhooks,
            (each) => webhookRow(each, here, scope.id === "admin"),
            empty("webhook", t("No webhooks"), t("Webhooks {whose} are listed here, with their deliveries.", { whose: scope.whose })),
            pager(reader.url, rows, total),
          )}
        `,
      })
    },
  })

const newPage = (scope: SettingsScope, { create }: Forms): Page =>
  page({
    id: `${scope.id}Hooks.new`,
    address: `GET ${scope.at}/hooks/{type}/new`,
    access: scope.access,
    answer: ({ path, draft, framed }) => {
      const type = path["type"] ?? ""
      if (!isType(type)) throw refuse.notFound()
      return framed({
        part: "webhooks",
        title: t("New webhook"),
        body: html`
          <p class="crumbs">
            <a href="${addressOf(listOf(scope), path)}">Webhooks</a><span class="sep">/</span>${typeName(type)}
          </p>
          <h1>New webhook</h1>
          ${formView(create, {
            path,
            draft,
            submit: t("Add webhook"),
            fields: [
              { kind: "hidden", name: "type", value: type },
              ...webhookFields({ type, isOfSite: scope.id === "admin", isOfOrganization: scope.id === "org" }),
            ],
          })}
        `,
      })
    },
  })

const webhookPage = (scope: SettingsScope, { edit, remove, test }: Forms): Page =>
  page({
    id: `${scope.id}Hooks.edit`,
    address: `GET ${scope.at}/hooks/{id}`,
    access: scope.access,
    changesWithTime: true,
    answer: async ({ services, db, path, page: rows, reader, draft, owning, framed }) => {
      const webhook = await findWebhook(db, ownerOf(owning), numberIn(path, "id"))
      if (!webhook) throw refuse.notFound()
      const deliveries = await findDeliveries(db, webhook.id, rows)
      const now = services.now()
      const list = addressOf(listOf(scope), path)
      return framed({
        part: "webhooks",
        title: webhook.name || webhook.url,
        body: html`
          ${webhookHeader(webhook, list, now)}
          <h2 id="deliveries">Deliveries</h2>
          <p class="muted">Newest first. Deliveries are kept for a week.</p>
          ${
            deliveries.rows.length === 0
              ? empty("inbox", t("No deliveries yet"))
              : html`
                ${deliveryTable(`${list}/${webhook.id}`, deliveries.rows, now)}
                ${pager(reader.url, rows, deliveries.total)}
              `
          }
          ${
            test &&
            html`
              <p>
                ${formButton(test, path, html`${icon("rocket")}Send test delivery`)}${" "}
                <span class="muted small">Sends a push event for the last commit.</span>
              </p>
            `
          }
          <h2 id="settings">Settings</h2>
          ${formView(edit, {
            path,
            record: presentHook(webhook),
            draft,
            submit: t("Save"),
            fields: webhookFields({ type: webhook.type, isOfSite: scope.id === "admin", isOfOrganization: scope.id === "org", webhook }),
          })}
          <h2 id="delete">Delete</h2>
          <p>Its deliveries are deleted, and pending ones are not sent.</p>
          ${formView(remove, { path, draft, submit: t("Delete webhook"), look: "danger" })}
        `,
      })
    },
  })

const deliveryPage = (scope: SettingsScope, { redeliver }: Forms): Page =>
  page({
    id: `${scope.id}Hooks.delivery`,
    address: `GET ${scope.at}/hooks/{id}/deliveries/{delivery_id}`,
    access: scope.access,
    changesWithTime: true,
    answer: async ({ services, db, path, owning, framed }) => {
      const webhook = await findWebhook(db, ownerOf(owning), numberIn(path, "id"))
      const delivery = webhook && (await findDelivery.first(db, { id: numberIn(path, "delivery_id") }))
      if (delivery?.webhook_id !== webhook?.id || !delivery || !webhook) throw refuse.notFound()
      const [request, response] = [requestOf(delivery), responseOf(delivery)]
      const list = addressOf(listOf(scope), path)
      return framed({
        part: "webhooks",
        title: t("Delivery {value}", { value: delivery.uuid.slice(0, 8) }),
        body: html`
          <p class="crumbs">
            <a href="${list}">Webhooks</a><span class="sep">/</span>
            <a class="break" href="${list}/${webhook.id}" dir="auto">${webhook.name || webhook.url}</a>
          </p>
          <div class="bar">
            <h1>Delivery <code>${delivery.uuid.slice(0, 8)}</code></h1>
            <div class="end">${formButton(redeliver, path, html`${icon("redo")}Redeliver`)}</div>
          </div>
          ${deliveryFacts(delivery, services.now())}
          <h2 id="request">Request</h2>
          ${request ? requestView(request) : html`<p class="muted">Not sent yet.</p>`}
          <h2 id="answer">Response</h2>
          ${response ? responseView(response) : html`<p class="muted">There is none.</p>`}
        `,
      })
    },
  })

const pagesIn = (scope: SettingsScope): readonly Page[] => {
  const forms = webhookForms(scope)
  const [list, fresh, shown, delivered] = [listPage(scope), newPage(scope, forms), webhookPage(scope, forms), deliveryPage(scope, forms)]
  return [
    list,
    fresh,
    forms.create.on(fresh),
    shown,
    ...[forms.edit, forms.remove, forms.test].flatMap((each) => (each ? [each.on(shown)] : [])),
    delivered,
    forms.redeliver.on(delivered),
  ]
}

export const webhookPages: readonly Page[] = inEveryScope(onRepositoryAsAdministrator, pagesIn)
