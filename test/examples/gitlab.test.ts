/** The GitLab pipeline of examples/gitops. */
import { projectToken } from '../support/gitlab-forge';
import { readGitlabPipeline } from '../support/gitlab-pipeline';
import { describePipelines } from '../support/pipeline-suite';

describePipelines({
  name: 'GitLab',
  file: '.gitlab-ci.yml',
  read: readGitlabPipeline,
  forgeOf: ({ gitlab }) => gitlab,
  variables: { TETHER_FORGE_TOKEN: projectToken },
  hides: true,
  queues: true,
});
