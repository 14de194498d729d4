/** The VCS connections, and the projects that may use them. */
import * as tether from 'tether-iac/pulumi';
import type { Settings } from './settings';

export interface Connections {
  readonly github: tether.OAuthClient;
  readonly gitlab: tether.OAuthClient;
}

export function declareConnections(settings: Settings): Connections {
  const { organization, projects, protectClients: protect } = settings;

  // The whole organization may use this connection.
  const github = new tether.OAuthClient(
    'github',
    {
      organization,
      name: 'GitHub',
      serviceProvider: 'provider_a',
      httpUrl: 'https://github.example.com',
      apiUrl: 'https://api.github.example.com',
      oauthTokenString: settings.githubToken,
    },
    { protect },
  );

  // Chosen projects may use this connection. Other teams may attach theirs, so the list is not complete.
  const gitlab = new tether.OAuthClient(
    'gitlab',
    {
      organization,
      name: 'GitLab',
      serviceProvider: 'provider_b_hosted',
      httpUrl: 'https://gitlab.example.com',
      apiUrl: 'https://gitlab.example.com/api/v4',
      oauthTokenString: settings.gitlabToken,
      organizationScoped: false,
    },
    { protect },
  );
  for (const [name, projectId] of Object.entries(projects)) {
    new tether.ProjectAttachment(`gitlab-${name}`, { oauthClientId: gitlab.id, projectId });
  }
  return { github, gitlab };
}
