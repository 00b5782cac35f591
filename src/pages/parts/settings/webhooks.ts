import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { memberOf } from "../../../core/check.ts"
import { refuse } from "../../../core/errors.ts"
import { addressOf, form, type Typed } from "../../../core/forms/form.ts"
import { html } from "../../../core/html.ts"
import { named } from "../../../core/operation.ts"
import type { Owning } from "../../../core/owner-scope.ts"
import { numberIn, type Page, page } from "../../../core/page.ts"
import type { Switch } from "../../../features/actions/external/names.ts"
import { webhookOperations } from "../../../features/events/webhooks/operations.ts"
import { presentDelivery, presentDeliveryDetails, presentHook } from "../../../features/events/webhooks/present.ts"
import { TYPES } from "../../../features/events/webhooks/records.ts"
import { findDeliveries, findDelivery, findWebhook, findWebhooks, type HookOwner } from "../../../features/events/webhooks/store.ts"
import { empty, menu, pager } from "../../../web/components.ts"
import { formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { inEveryPlace, type Place } from "./places.ts"
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
  webhookState,
  webhookTrouble,
} from "./webhooks-view.ts"

/** Webhooks of a repository, an organisation, a person and the site: the same pages in each place. */

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

const pagesIn = (place: Place): readonly Page[] => {
  const { id, at, access } = place
  const does = (what: string) => named(webhookOperations, `${id}${what}`)
  const isOfSite = id === "admin"

  const list: Page = page({
    id: `${id}Hooks.list`,
    address: `GET ${at}/hooks`,
    access,
    answer: async ({ db, path, page: rows, reader, owning, framed }) => {
      const { rows: webhooks, total } = await findWebhooks(db, ownerOf(owning), rows)
      const here = addressOf(list, path)
      const add = menu(
        html`${icon("plus")}Add a webhook`,
        TYPES.map((type) => html`<a href="${here}/${type}/new">${typeName(type)}</a>`),
        { name: "button primary" },
      )
      return framed({
        part: "webhooks",
        title: "Webhooks",
        body: html`
          <div class="bar">
            <h1>Webhooks</h1>
            <div class="end">${add}</div>
          </div>
          <p class="muted">Other programs are told by a request of what happens here.</p>
          ${
            webhooks.length === 0
              ? empty("webhook", "There are no webhooks", `Those ${place.whose} are listed here, with what they were told.`)
              : html`
                <ul class="rows">
                  ${webhooks.map(
                    (each) =>
                      html`
                        <li>
                          ${icon("webhook")}
                          <div class="main">
                            <h2 class="title">
                              <a class="break" href="${here}/${each.id}" dir="auto">${each.name || each.url}</a>
                            </h2>
                            <p class="meta">
                              <span>${typeName(each.type)}</span>
                              ${each.name !== "" && html`<span class="break">${each.url}</span>`}
                              ${
                                isOfSite &&
                                html`<span>${each.is_system === 1 ? "Told of every repository" : "Copied into new repositories"}</span>`
                              }
                            </p>
                          </div>
                          ${webhookState(each)}
                        </li>
                      `,
                  )}
                </ul>
                ${pager(reader.url, rows, total)}
              `
          }
        `,
      })
    },
  })

  const fresh: Page = page({
    id: `${id}Hooks.new`,
    address: `GET ${at}/hooks/{type}/new`,
    access,
    answer: ({ path, draft, framed }) => {
      const type = path["type"] ?? ""
      if (!isType(type)) throw refuse.notFound()
      return framed({
        part: "webhooks",
        title: "New webhook",
        body: html`
          <p class="crumbs">
            <a href="${addressOf(list, path)}">Webhooks</a><span class="sep">/</span>${typeName(type)}
          </p>
          <h1>New webhook</h1>
          ${formView(create, {
            path,
            draft,
            submit: "Add webhook",
            fields: [{ kind: "hidden", name: "type", value: type }, ...webhookFields({ type, isOfSite })],
          })}
        `,
      })
    },
  })

  const create = form({
    id: `${id}Hooks.create`,
    address: `POST ${at}/hooks/{type}/new`,
    does: does("CreateHook"),
    on: fresh,
    takes: ["type", ...TAKES, ...(isOfSite ? ["is_system_webhook"] : [])],
    also: ALSO,
    body: bodyOf,
    once: true,
    done: "Webhook added.",
    to: ({ path, record }) => `${addressOf(list, path)}/${String(memberOf(record, "id"))}`,
  })

  const shown: Page = page({
    id: `${id}Hooks.edit`,
    address: `GET ${at}/hooks/{id}`,
    access,
    changesWithTime: true,
    answer: async ({ services, db, path, page: rows, reader, draft, owning, framed }) => {
      const webhook = await findWebhook(db, ownerOf(owning), numberIn(path, "id"))
      if (!webhook) throw refuse.notFound()
      const deliveries = await findDeliveries(db, webhook.id, rows)
      const now = services.now()
      return framed({
        part: "webhooks",
        title: webhook.name || webhook.url,
        body: html`
          <p class="crumbs">
            <a href="${addressOf(list, path)}">Webhooks</a><span class="sep">/</span>${typeName(webhook.type)}
          </p>
          <div class="bar">
            <h1 class="break" dir="auto">${webhook.name || webhook.url}</h1>
            <div class="end">${webhookState(webhook)}</div>
          </div>
          ${webhookTrouble(webhook, now)}
          <h2 id="deliveries">Deliveries</h2>
          <p class="muted">What it was told, newest first. Deliveries that ended are kept for a week.</p>
          ${
            deliveries.rows.length === 0
              ? empty("inbox", "It was told of nothing yet")
              : html`
                ${deliveryTable(addressOf(shown, path), deliveries.rows.map(presentDelivery), now)}
                ${pager(reader.url, rows, deliveries.total)}
              `
          }
          ${
            test &&
            html`
              <p>
                ${formButton(test, path, html`${icon("rocket")}Send a test delivery`)}${" "}
                <span class="muted small">A push of the last commit, whatever is chosen below.</span>
              </p>
            `
          }
          <h2 id="settings">Settings</h2>
          ${formView(edit, {
            path,
            record: presentHook(webhook),
            draft,
            submit: "Save",
            fields: webhookFields({ type: webhook.type, isOfSite, webhook }),
          })}
          <h2 id="delete">Delete</h2>
          <p>Its deliveries are deleted with it, and what waits is not sent.</p>
          ${formView(remove, { path, draft, submit: "Delete webhook", look: "danger" })}
        `,
      })
    },
  })

  const edit = form({
    id: `${id}Hooks.save`,
    address: `POST ${at}/hooks/{id}`,
    does: does("EditHook"),
    on: shown,
    reads: does("GetHook"),
    guards: ["name", "branch_filter"],
    takes: TAKES,
    also: ALSO,
    body: bodyOf,
    done: "Saved.",
  })

  const remove = form({
    id: `${id}Hooks.delete`,
    address: `POST ${at}/hooks/{id}/delete`,
    does: does("DeleteHook"),
    on: shown,
    done: "Webhook deleted.",
    to: ({ path }) => addressOf(list, path),
  })

  // A test is a push of a repository, so that only those of repositories have one.
  const test =
    id === "repo" &&
    form({
      id: `${id}Hooks.test`,
      address: `POST ${at}/hooks/{id}/test`,
      does: does("TestHook"),
      on: shown,
      done: "Test delivery queued. An empty repository sends none.",
    })

  const delivered: Page = page({
    id: `${id}Hooks.delivery`,
    address: `GET ${at}/hooks/{id}/deliveries/{delivery_id}`,
    access,
    changesWithTime: true,
    answer: async ({ services, db, path, owning, framed }) => {
      const webhook = await findWebhook(db, ownerOf(owning), numberIn(path, "id"))
      const row = webhook && (await findDelivery.first(db, { id: numberIn(path, "delivery_id") }))
      if (row?.webhook_id !== webhook?.id || !row || !webhook) throw refuse.notFound()
      const delivery = presentDeliveryDetails(row)
      const { request, response } = delivery
      return framed({
        part: "webhooks",
        title: `Delivery ${delivery.uuid.slice(0, 8)}`,
        body: html`
          <p class="crumbs">
            <a href="${addressOf(list, path)}">Webhooks</a><span class="sep">/</span>
            <a class="break" href="${addressOf(shown, path)}" dir="auto">${webhook.name || webhook.url}</a>
          </p>
          <div class="bar">
            <h1>Delivery <code>${delivery.uuid.slice(0, 8)}</code></h1>
            <div class="end">${formButton(redeliver, path, html`${icon("redo")}Deliver again`)}</div>
          </div>
          ${deliveryFacts(delivery, services.now())}
          <h2 id="request">Request</h2>
          ${request ? requestView(request) : html`<p class="muted">It was not sent yet.</p>`}
          <h2 id="answer">Answer</h2>
          ${response ? responseView(response) : html`<p class="muted">There is none.</p>`}
        `,
      })
    },
  })

  const redeliver = form({
    id: `${id}Hooks.redeliver`,
    address: `POST ${at}/hooks/{id}/deliveries/{delivery_id}/redeliver`,
    does: does("RedeliverHookDelivery"),
    on: delivered,
    done: "Redelivered with the same id.",
  })

  return [list, fresh, create, shown, edit, remove, ...(test ? [test] : []), delivered, redeliver]
}

export const webhookPages: readonly Page[] = inEveryPlace(onRepositoryAsAdministrator, pagesIn)
