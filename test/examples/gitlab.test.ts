/** The GitLab pipeline of examples/gitops. */
import { readGitlabPipeline } from '../support/gitlab-pipeline';
import { describePipelines } from '../support/pipeline-suite';

describePipelines({
  name: 'GitLab',
  file: '.gitlab-ci.yml',
  read: readGitlabPipeline,
  hides: true,
  queues: true,
});
