/** The GitHub workflow of examples/gitops. */
import { readGithubWorkflow } from '../support/github-workflow';
import { describePipelines } from '../support/pipeline-suite';

describePipelines({
  name: 'GitHub',
  file: '.github/workflows/tether.yml',
  read: readGithubWorkflow,
  hides: false,
});
