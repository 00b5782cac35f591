import type { Operation } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import { API_VERSION } from "../../../core/version.ts"
import { openapi31 } from "./openapi31.ts"
import { apiPage } from "./page.ts"
import { PAGE_SOURCES } from "./page-assets.ts"
import { readRecorded } from "./recorded.ts"
import { swagger2 } from "./swagger2.ts"

const pagePolicy = `default-src 'none'; style-src ${PAGE_SOURCES.style}; script-src ${PAGE_SOURCES.script}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`

/** Each is made when it is first asked for, and then kept. */
export interface Documents {
  readonly swagger: () => Promise<string>
  readonly openapi: () => Promise<string>
  readonly page: () => Promise<string>
  /** The Content-Security-Policy of the page. */
  readonly pagePolicy: string
}

export function openDocuments({ config, site }: Services, operations: readonly Operation[]): Documents {
  const about = { version: API_VERSION, notFoundBody: config.api.notFoundBody, rootUrl: site.rootUrl, config }
  return {
    swagger: once(async () => JSON.stringify(swagger2(operations, about))),
    openapi: once(async () => JSON.stringify(openapi31(operations, { ...about, recorded: await readRecorded() }))),
    page: once(async () => apiPage(operations, { ...about, recorded: await readRecorded() })),
    pagePolicy,
  }
}

/** What could not be made is tried again by the next request. */
function once(make: () => Promise<string>): () => Promise<string> {
  let made: string | undefined
  return async () => {
    made ??= await make()
    return made
  }
}
