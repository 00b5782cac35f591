/*
 * What people import as `hearth/client`, together with a function for each operation of the API, which `bin/build-client.mjs` makes of the OpenAPI document. Nothing here imports anything
 * else of Hearth, or anything of Node: it runs wherever there is `fetch`.
 */
export { type CallOptions, type Client, type ClientOptions, createClient, type Fetch } from "./call.ts"
export { type EventFilter, type EventOptions, type EventsAfter, events, eventsAfter, type HearthEvent } from "./events.ts"
export { each, type List, pages } from "./pages.ts"
export { isRefusal, Refusal } from "./refusal.ts"
