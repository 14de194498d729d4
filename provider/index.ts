/** Entry point `tether-iac/provider`: handlers by names that are in every state and never change. */
import { oauthClient } from '../resources/oauth-client';
import { processSurroundings } from './account';
import { links } from './links';
import { oauthClients } from './oauth-clients';
import { isSetType, type ResourceType, resourceTypes } from './resource-types';
import { type Handlers, Session } from './session';
import { sets } from './sets';

const session = new Session(processSurroundings);

function handlersOf(type: ResourceType): Handlers {
  if (isSetType(type)) return sets(session, type);
  if (type.definition.pair.length > 0) return links(session, type);
  if (type.definition === oauthClient) return oauthClients(session);
  throw new Error(`there are no handlers for ${type.kind}`);
}

const handlers = Object.fromEntries(resourceTypes.map((type) => [type.handler, handlersOf(type)]));

export = handlers;
